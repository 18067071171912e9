// One table from each refusal of the back office to its status, and its message for people.
import type { Refused, RefusedAs } from '../platform/admin-api/refused.ts';
import { INT32_MAX } from '../platform/values/int32.ts';
import { channelFailureText } from '../platform/outbound/failure-words.ts';
import { csvText } from '../platform/csv/words.ts';
import { violationFacts, violationText } from '../core/registration/violation-words.ts';
import { firstAndCount } from '../platform/http/refuse.ts';

export const SIGN_IN = 'Sign in, or send "Authorization: Bearer <token>" with a valid admin token.';

export type RefusalStatus = 401 | 404 | 409 | 422;

/** Refusals about entries of a list in the request. */
export type ListRefusal = Extract<Refused, { positions: number[] }>;
export type RefusalKind = Exclude<Refused, ListRefusal | RefusedAs<'courier_unknown'>>['kind'];
export interface RefusalAnswer<K extends RefusalKind> {
  status: RefusalStatus;
  /** The code on the wire, if it differs from the kind. */
  code?: string;
  words: (no: RefusedAs<K>) => string;
  /** The details, if they differ from the facts of the refusal. */
  details?: (no: RefusedAs<K>) => object;
}

/** The operator decided on stale data: reload and decide again. */
const STALE = { status: 409, code: 'stale' } as const;

const ALL_HIDDEN = 'All options of this product are hidden: name those to apply in option_codes.';

export const REFUSAL_ANSWERS: { readonly [K in RefusalKind]: RefusalAnswer<K> } = {
  channel_unknown: { status: 404, words: ({ channel_id }) => `Channel ${channel_id} was not found.` },
  channel_archived: {
    status: 409,
    words: ({ channel_id }) => `Channel ${channel_id} is archived: bring it back first.`,
  },
  product_archived: {
    status: 409,
    words: ({ product_code }) => `Product ${product_code} is archived: bring it back first.`,
  },
  variant_archived: {
    status: 409,
    words: ({ variant_code }) => `Variant ${variant_code} or its product is archived: bring it back first.`,
  },
  order_number_prefix_taken: {
    status: 409,
    words: ({ order_number_prefix, name, taken_prefix }) =>
      `The prefix ${order_number_prefix} overlaps with ${taken_prefix} of the channel ${name}.`,
  },
  channel_holds_stock: {
    status: 409,
    words: ({ channel_id, variant_count, allocated_qty }) =>
      `Channel ${channel_id} or its open orders hold ${allocated_qty} of ${variant_count} variants as pre-allocation: release them first.`,
  },
  previous_key_unknown: {
    status: 404,
    words: ({ channel_id }) => `Channel ${channel_id} has no valid previous key.`,
  },
  signing_secret_required: {
    status: 422,
    words: () => 'Signing cannot be required while the channel has no signing secret: create one first.',
  },
  signing_secrets_full: {
    status: 422,
    words: ({ secrets_max }) => `The channel has ${secrets_max} signing secrets already: remove one first.`,
  },
  signing_secret_unknown: {
    status: 404,
    words: ({ channel_id, signing_secret_id }) =>
      `Signing secret ${signing_secret_id} of channel ${channel_id} was not found.`,
  },
  last_signing_secret: {
    status: 422,
    words: () => 'The last signing secret cannot be removed while signing is required.',
  },
  api_url_missing: {
    status: 422,
    words: () => 'This channel has no api_url: register the address of its product information first.',
  },
  key_closed: {
    status: 422,
    words: () =>
      'The key of this channel is sealed with another secret: start the service with the right secret, or create a new key.',
  },
  channel_failed: {
    status: 422,
    words: ({ failure }) => channelFailureText(failure),
    details: ({ failure }) => failure,
  },
  product_not_found: {
    status: 422,
    words: ({ failure }) => channelFailureText(failure),
    details: ({ failure }) => ({ ...failure, errors: [channelFailureText(failure)] }),
  },
  option_configuration: {
    status: 422,
    words: ({ violations }) => firstAndCount(violations.map(violationText)),
    details: ({ violations }) => ({
      errors: violations.map(violationText),
      violations: violations.map(violationFacts),
    }),
  },
  nothing_to_apply: {
    status: 422,
    words: () => ALL_HIDDEN,
    details: () => ({ errors: [ALL_HIDDEN] }),
  },
  product_unknown: { status: 404, words: ({ product_code }) => `Product ${product_code} was not found.` },
  product_code_taken: {
    status: 409,
    words: ({ product_code }) => `The product code ${product_code} is taken.`,
  },
  variant_unknown: { status: 404, words: ({ variant_code }) => `Variant ${variant_code} was not found.` },
  variant_code_taken: {
    status: 409,
    words: ({ variant_code }) => `The variant code ${variant_code} is taken.`,
  },
  barcode_taken: {
    status: 409,
    words: ({ barcode, variant_code }) => `Variant ${variant_code} has the barcode ${barcode}.`,
  },
  variant_in_use: {
    status: 409,
    words: ({ variant_code, mapped }) =>
      mapped > 0
        ? `Variant ${variant_code} is mapped to ${mapped} channel SKUs: remove the mappings before archiving it.`
        : `Variant ${variant_code} has stock, open orders or allocations, and cannot be archived.`,
  },
  product_in_use: {
    status: 409,
    words: ({ product_code, variants }) =>
      `Product ${product_code} cannot be archived: ${variants.map((one) => one.variant_code).join(', ')} mapped, or with stock, open orders or allocations.`,
  },
  mapping_unknown: { status: 404, words: ({ sku }) => `The mapping of SKU ${sku} was not found.` },
  unmapped_sku_unknown: {
    status: 404,
    words: ({ sku, channel_id }) => `SKU ${sku} on the list of channel ${channel_id} was not found.`,
  },
  refused_order_unknown: {
    status: 404,
    words: ({ refused_order_id }) => `The refused order ${refused_order_id} was not found on the list.`,
  },
  late_report_unknown: {
    status: 404,
    words: ({ late_report_id }) => `The late report ${late_report_id} was not found on the list.`,
  },
  stock_unknown: {
    status: 404,
    words: ({ variant_code }) => `The stock of variant ${variant_code} was not found.`,
  },
  stock_missing: {
    status: 422,
    words: ({ variant_code }) => `Variant ${variant_code} has no stock record yet: set its quantity first.`,
  },
  quantity_changed: {
    ...STALE,
    words: ({ variant_code, quantity }) =>
      quantity === null
        ? `Variant ${variant_code} has no stock record yet, so no quantity can be expected of it.`
        : `The quantity of variant ${variant_code} is now ${quantity}.`,
  },
  allocation_changed: {
    ...STALE,
    words: ({ variant_code, channel_id, allocated_qty, reserve_quota }) =>
      `The allocation of variant ${variant_code} to channel ${channel_id} is now ${allocated_qty}, its backorder quota ${reserve_quota}.`,
  },
  below_zero: {
    status: 422,
    words: ({ variant_code, quantity }) =>
      `The physical stock of variant ${variant_code} is ${quantity} and cannot fall below 0.`,
  },
  beyond_limit: {
    status: 422,
    words: ({ variant_code, quantity }) =>
      `The physical stock of variant ${variant_code} is ${quantity} and cannot rise above ${INT32_MAX}.`,
  },
  stock_import_unknown: {
    status: 404,
    words: ({ import_id }) => `The stock import ${import_id} was not found. It may be too old to be undone.`,
  },
  stock_import_undone: {
    status: 409,
    words: ({ import_id }) => `The stock import ${import_id} has been undone already.`,
  },
  counted_again: {
    status: 409,
    words: ({ variant_code, variant_count }) =>
      `Nothing was undone: ${variant_count === 1 ? 'an item was' : `${variant_count} items were`} counted again since (${variant_code}).`,
  },
  count_outdated: {
    status: 409,
    words: ({ variant_code, counted_at }) => `Variant ${variant_code} was counted later, at ${counted_at}.`,
  },
  count_below_zero: {
    status: 422,
    words: ({ variant_code, counted, moved_since }) =>
      `Variant ${variant_code}: ${counted} counted, ${moved_since} moved since: the result would be below 0.`,
  },
  count_beyond_limit: {
    status: 422,
    words: ({ variant_code, counted, moved_since }) =>
      `Variant ${variant_code}: ${counted} counted, ${moved_since} moved since: the result would be above ${INT32_MAX}.`,
  },
  allocation_insufficient: {
    status: 409,
    words: ({ channel_id, variant_code, allocated_qty }) =>
      `Channel ${channel_id} has ${allocated_qty} of variant ${variant_code} to give.`,
  },
  allocations_refused: {
    status: 422,
    words: ({ problems }) => `Nothing was changed: ${problems.length} of the changes cannot be made.`,
  },
  exchange_rate_unknown: {
    status: 404,
    words: ({ exchange_rate_id }) => `Exchange rate ${exchange_rate_id} was not found.`,
  },
  rate_source_off: {
    status: 409,
    words: () => 'No source of exchange rates is set: choose one first.',
  },
  rate_quote_unknown: {
    status: 404,
    words: ({ currency_code }) => `No rate of ${currency_code} waits for a decision.`,
  },
  rate_quote_changed: {
    ...STALE,
    words: ({ currency_code, rate }) => `The rate of ${currency_code} that waits is now ${rate}.`,
  },
  alert_kind_unknown: {
    status: 404,
    words: ({ alert_kind }) => `There are no alerts of the kind ${alert_kind}.`,
  },
  webhook_unknown: { status: 404, words: ({ webhook_id }) => `Webhook ${webhook_id} was not found.` },
  webhooks_full: {
    status: 422,
    words: ({ webhooks_max }) => `There are ${webhooks_max} webhooks already: remove one first.`,
  },
  delivery_unknown: {
    status: 404,
    words: ({ webhook_id, delivery_id }) => `Delivery ${delivery_id} of webhook ${webhook_id} was not found.`,
  },
  base_currency: {
    status: 422,
    words: ({ currency_code }) => `${currency_code} is the base currency: its rate is always 1.0.`,
  },
  order_unknown: { status: 404, words: ({ order }) => `Order ${order} was not found.` },
  order_not_shipped: {
    status: 409,
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only the goods of a shipped order can be returned.`,
  },
  return_exceeds_shipped: {
    status: 409,
    words: ({ order, line, requested, returnable }) =>
      `Of line ${line} of order ${order} ${returnable} can still be returned, not ${requested}.`,
  },
  order_erased: {
    status: 409,
    words: ({ order }) => `The personal data of order ${order} were erased: it takes no more notes.`,
  },
  shipment_not_shipped: {
    status: 409,
    code: 'order_not_shipped',
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only the shipment of a shipped order can be corrected.`,
  },
  shipment_erased: {
    status: 409,
    words: ({ order }) => `The personal data of order ${order} were erased: its shipment stays as it is.`,
  },
  order_open: {
    status: 409,
    words: ({ order, status }) =>
      `Order ${order} has status ${status}: only shipped and cancelled orders can be erased.`,
  },
  real_orders_present: { status: 409, words: () => 'This database has orders of real channels.' },
  demo_data_conflict: {
    status: 409,
    words: ({ problem }) => `The demo data do not fit this database: ${csvText(problem)}`,
  },
  user_unknown: { status: 404, words: ({ user }) => `User ${user} was not found.` },
  email_taken: { status: 409, words: ({ email }) => `There is already an account ${email}.` },
  last_admin: {
    status: 409,
    words: () => 'This is the last active administrator: create another one first.',
  },
  identity_email_taken: {
    status: 409,
    words: ({ email }) => `There is an account ${email}, and the provider has not verified the e-mail.`,
  },
  identity_email_unverified: {
    status: 409,
    words: ({ email }) => `The provider has not verified the e-mail ${email}.`,
  },
  identity_role_lower: {
    status: 409,
    words: ({ email, role }) =>
      `The account ${email} is the last administrator, and the provider gives the role ${role}.`,
  },
  account_inactive: { status: 409, words: ({ email }) => `The account ${email} is not active.` },
  second_factor_in_use: {
    status: 409,
    words: () => 'Two-step sign-in is on already: turn it off before you set it up again.',
  },
  second_factor_unused: { status: 409, words: () => 'Two-step sign-in is not on for this account.' },
  second_factor_is_required: {
    status: 409,
    words: () => 'Two-step sign-in is required for this account and cannot be turned off.',
  },
  second_factor_wrong: { status: 422, words: () => 'The code is wrong or was used already.' },
  session_unknown: { status: 404, words: ({ session_id }) => `Session ${session_id} was not found.` },
  credentials_changed: { status: 401, words: () => SIGN_IN },
  token_name_taken: {
    status: 409,
    code: 'name_taken',
    words: ({ name }) => `There is already a valid token "${name}".`,
  },
  token_unknown: { status: 404, words: ({ token }) => `A valid token ${token} was not found.` },
  common_code_unknown: {
    status: 404,
    words: ({ group, code }) => `The code ${code} of the group ${group} was not found.`,
  },
};
