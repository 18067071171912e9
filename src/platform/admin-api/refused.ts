// Refusals of the back office: facts without messages. HTTP and the command line each have one table that maps them to
// an answer (`platform/admin-api/refusal.ts`, `start/command-refusals.ts`).

import type { FailureFacts } from '../outbound/failure.ts';
import type { Violation } from '../../core/rules/set-product-rules.ts';
import type { Status } from '../../core/rules/transitions.ts';
import type { VariantUse } from '../../core/products/store.ts';
import type { Role } from '../values/roles.ts';
import type { CsvFact } from '../csv/problems.ts';

/** As in the request. An invalid id is also refused as unknown. */
type Id = number | string;

export type Refused =
  | { kind: 'channel_unknown'; channel_id: Id }
  /** An archived channel cannot be active, and gets no stock, mappings or keys. */
  | { kind: 'channel_archived'; channel_id: number }
  /** It gets no variants, and its variants come back with it. */
  | { kind: 'product_archived'; product_code: string }
  /** The variant or its product is archived: it gets no allocations and no imported open orders. */
  | { kind: 'variant_archived'; variant_code: string }
  /** The prefix is that of another channel, begins with it, or is its beginning. */
  | {
      kind: 'order_number_prefix_taken';
      order_number_prefix: string;
      /** The other channel. */
      channel_id: number;
      name: string;
      taken_prefix: string;
    }
  /** The channel has pre-allocations and cannot be archived. */
  | { kind: 'channel_holds_stock'; channel_id: number; variant_count: number; allocated_qty: number }
  /** There is no valid previous key. */
  | { kind: 'previous_key_unknown'; channel_id: number }
  /** Signing cannot be required of a channel without a signing secret. */
  | { kind: 'signing_secret_required'; channel_id: number }
  | { kind: 'signing_secrets_full'; channel_id: number; secrets_max: number }
  | { kind: 'signing_secret_unknown'; channel_id: Id; signing_secret_id: Id }
  /** The last signing secret cannot be removed while signing is required. */
  | { kind: 'last_signing_secret'; channel_id: number }
  /** The channel has no URL for product information. */
  | { kind: 'api_url_missing'; channel_id: number }
  /** The channel's key is sealed with another secret. */
  | { kind: 'key_closed'; channel_id: number }
  /** The request for product information failed. */
  | { kind: 'channel_failed'; failure: Exclude<FailureFacts, { reason: 'not_found' }> }
  | { kind: 'product_not_found'; failure: Extract<FailureFacts, { reason: 'not_found' }> }
  /** The channel's options are invalid. */
  | { kind: 'option_configuration'; violations: readonly Violation[] }
  /** All options of the product are hidden, and none was selected. */
  | { kind: 'nothing_to_apply' }
  | { kind: 'options_unknown'; positions: number[] }
  | { kind: 'product_unknown'; product_code: string }
  | { kind: 'product_code_taken'; product_code: string }
  | { kind: 'variant_unknown'; variant_code: string }
  | { kind: 'variant_code_taken'; variant_code: string }
  /** `variant_code`: the variant that has the barcode. */
  | { kind: 'barcode_taken'; barcode: string; variant_code: string }
  /** The variant is mapped, or has stock, open orders or allocations, and cannot be archived. */
  | ({ kind: 'variant_in_use' } & VariantUse)
  | { kind: 'product_in_use'; product_code: string; variants: readonly VariantUse[] }
  /** `positions` in the list of the request, from 0. */
  | { kind: 'variants_unknown'; positions: number[] }
  | { kind: 'variant_codes_repeated'; positions: number[] }
  | { kind: 'skus_repeated'; positions: number[] }
  | { kind: 'mapping_unknown'; channel_id: number; sku: string }
  | { kind: 'unmapped_sku_unknown'; channel_id: number; sku: string }
  | { kind: 'refused_order_unknown'; refused_order_id: Id }
  | { kind: 'late_report_unknown'; late_report_id: Id }
  | { kind: 'stock_unknown'; variant_code: string }
  /** A stock row is needed, and the variant has none. */
  | { kind: 'stock_missing'; variant_code: string }
  /** The quantity is not the expected one; null: there is no stock row. */
  | { kind: 'quantity_changed'; variant_code: string; quantity: number | null }
  | { kind: 'below_zero'; variant_code: string; quantity: number }
  | { kind: 'beyond_limit'; variant_code: string; quantity: number }
  /** The variant was counted later, at `counted_at`. */
  | { kind: 'count_outdated'; variant_code: string; counted_at: string }
  /** `moved_since`: shipments, returns and adjustments since the count. */
  | { kind: 'count_below_zero'; variant_code: string; counted: number; moved_since: number }
  | { kind: 'count_beyond_limit'; variant_code: string; counted: number; moved_since: number }
  /** No such stock list, or it is too old. */
  | { kind: 'stock_import_unknown'; import_id: Id }
  | { kind: 'stock_import_undone'; import_id: number; undone_at: string }
  /** The list cannot be undone: `variant_count` of its variants were counted again; `variant_code` is the first. */
  | { kind: 'counted_again'; import_id: number; variant_code: string; variant_count: number }
  | {
      kind: 'allocation_changed';
      channel_id: number;
      variant_code: string;
      allocated_qty: number;
      reserve_quota: number;
    }
  /** A transfer takes more than the channel has. */
  | { kind: 'allocation_insufficient'; channel_id: number; variant_code: string; allocated_qty: number }
  /** None of the changes was made; `position`: index in the request. */
  | { kind: 'allocations_refused'; problems: AllocationProblem[] }
  | { kind: 'alert_kind_unknown'; alert_kind: string }
  | { kind: 'webhook_unknown'; webhook_id: Id }
  | { kind: 'webhooks_full'; webhooks_max: number }
  | { kind: 'delivery_unknown'; webhook_id: Id; delivery_id: Id }
  | { kind: 'base_currency'; currency_code: string }
  | { kind: 'exchange_rate_unknown'; exchange_rate_id: Id }
  /** The source of exchange rates is off. */
  | { kind: 'rate_source_off' }
  /** No quote of this currency waits for a decision. */
  | { kind: 'rate_quote_unknown'; currency_code: string }
  /** `rate`: the quote that waits now. */
  | { kind: 'rate_quote_changed'; currency_code: string; rate: string }
  | { kind: 'common_code_unknown'; group: string; code: string }
  | { kind: 'order_unknown'; order: Id }
  /** Only the goods of a shipped order can come back. */
  | { kind: 'order_not_shipped'; order: Id; status: Status }
  /** `returnable`: shipped, and not returned yet. */
  | { kind: 'return_exceeds_shipped'; order: Id; line: number; requested: number; returnable: number }
  /** `positions` in the list of the request, from 0. */
  | { kind: 'order_lines_unknown'; positions: number[] }
  /** The order's personal data was erased, and a note could contain it again. */
  | { kind: 'order_erased'; order: Id }
  /** Only the shipment of a shipped order can be corrected. */
  | { kind: 'shipment_not_shipped'; order: Id; status: Status }
  /** The tracking number was erased with the order's personal data. */
  | { kind: 'shipment_erased'; order: Id }
  /** `nearest`: couriers that it may mean. */
  | { kind: 'courier_unknown'; nearest: readonly { code: string; name: string }[] }
  /** Only final orders can be erased. */
  | { kind: 'order_open'; order: Id; status: Status }
  /** Demo data are not added beside real orders. */
  | { kind: 'real_orders_present' }
  | { kind: 'demo_data_conflict'; problem: CsvFact }
  /** `user`: id or e-mail. */
  | { kind: 'user_unknown'; user: Id }
  | { kind: 'email_taken'; email: string }
  /** The last active administrator cannot be demoted or deactivated. */
  | { kind: 'last_admin'; email: string }
  /** After the password was checked, the account was deactivated or its password replaced. */
  | { kind: 'credentials_changed' }
  /** The e-mail of a new identity belongs to an account, and the provider has not verified it. */
  | { kind: 'identity_email_taken'; email: string }
  /** The provider says that it has not verified the e-mail of a new identity. */
  | { kind: 'identity_email_unverified'; email: string }
  /** The claims give a lower role than the account must keep, because it is the last administrator's. */
  | { kind: 'identity_role_lower'; email: string; role: Role }
  | { kind: 'account_inactive'; email: string }
  /** The second factor must be removed before another one is set up. */
  | { kind: 'second_factor_in_use' }
  /** The account has no second factor. */
  | { kind: 'second_factor_unused' }
  /** The second factor cannot be removed: an administrator requires it. */
  | { kind: 'second_factor_is_required' }
  | { kind: 'second_factor_wrong' }
  /** No such session, or it has ended, or it belongs to another account. */
  | { kind: 'session_unknown'; session_id: Id }
  | { kind: 'token_name_taken'; name: string }
  /** No valid token has this id or name. */
  | { kind: 'token_unknown'; token: Id };

interface AllocationProblem {
  position: number;
  code:
    | 'channel_unknown'
    | 'channel_archived'
    | 'variant_unknown'
    | 'variant_archived'
    | 'stock_missing'
    | 'allocation_changed'
    | 'repeated';
}

export type RefusedAs<Kind extends Refused['kind']> = Extract<Refused, { kind: Kind }>;

/** Positions of repeated entries in a list. */
export function repeatedPositions(names: readonly string[]): number[] {
  const seen = new Set<string>();
  const positions: number[] = [];
  for (const [at, name] of names.entries()) {
    if (seen.has(name)) positions.push(at);
    seen.add(name);
  }
  return positions;
}
