// An expected "no" of the admin API: status and body. The answer to a refusal of the back office is in one table, with the
// words for people; programs read `code` and `details`.
import type { Refused, RefusedAs } from '../../backoffice/refused.ts';
import { INT32_MAX } from '../../domain/stock.ts';
import { failureAt, withMessage } from '../validation.ts';

export const UNAUTHORIZED = {
  error: 'Sign in, or send "Authorization: Bearer <token>" with a valid admin token.',
};

type Status = 401 | 404 | 409 | 422;

export class Refusal extends Error {
  readonly status: Status;
  readonly body: object;

  constructor(status: Status, body: object) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }

  /** The credentials were valid when the request began, and are not any more. */
  static unauthorized(): Refusal {
    return new Refusal(401, UNAUTHORIZED);
  }

  static notFound(what: string): Refusal {
    return new Refusal(404, { error: `${what} was not found.` });
  }

  static conflict(text: string, more: object = {}): Refusal {
    return new Refusal(409, { error: text, ...more });
  }

  /** A business rule: the single-key shape. */
  static rule(text: string, more: object = {}): Refusal {
    return new Refusal(422, { error: text, ...more });
  }

  /** A field that no schema could judge: the validation shape. */
  static invalid(field: string, text: string): Refusal {
    return new Refusal(422, failureAt(field, text));
  }

  static invalidFields(errors: Record<string, string[]>): Refusal {
    return new Refusal(422, withMessage(errors));
  }
}

/** About entries of a list in the request. */
type InList = Extract<Refused, { positions: number[] }>;
type Kind = Exclude<Refused, InList>['kind'];
interface Answer<K extends Kind> {
  status: Status;
  /** On the wire, where it is not the kind itself. */
  code?: string;
  words: (no: RefusedAs<K>) => string;
}

/** The operator looked at older numbers: look again, then decide again. */
const STALE = { status: 409, code: 'stale' } as const;

const ANSWERS: { readonly [K in Kind]: Answer<K> } = {
  channel_unknown: { status: 404, words: ({ channel_id }) => `Channel ${channel_id} was not found.` },
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
  mapping_unknown: { status: 404, words: ({ sku }) => `The mapping of SKU ${sku} was not found.` },
  unmapped_sku_unknown: {
    status: 404,
    words: ({ sku, channel_id }) => `SKU ${sku} on the list of channel ${channel_id} was not found.`,
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
  base_currency: {
    status: 422,
    words: ({ currency_code }) => `${currency_code} is the base currency: its rate is always 1.0.`,
  },
  order_unknown: { status: 404, words: ({ order }) => `Order ${order} was not found.` },
  user_unknown: { status: 404, words: ({ user }) => `User ${user} was not found.` },
  email_taken: { status: 409, words: ({ email }) => `There is an account ${email} already.` },
  last_admin: {
    status: 409,
    words: () => 'This is the last active administrator: make another one first.',
  },
  credentials_changed: { status: 401, words: () => UNAUTHORIZED.error },
  token_name_taken: {
    status: 409,
    code: 'name_taken',
    words: ({ name }) => `There is a live token "${name}" already.`,
  },
  token_unknown: { status: 404, words: ({ token }) => `A live token ${token} was not found.` },
  signing_secret_unknown: {
    status: 404,
    words: ({ channel_id, signing_secret_id }) =>
      `Signing secret ${signing_secret_id} of channel ${channel_id} was not found.`,
  },
  common_code_unknown: {
    status: 404,
    words: ({ group, code }) => `The code ${code} of the group ${group} was not found.`,
  },
};

/** The field at fault and what is wrong with it: the validation shape. */
const FIELDS: Record<InList['kind'], (at: number) => [field: string, fault: string]> = {
  variants_unknown: (at) => [`mappings.${at}.variant_code`, 'is not the code of a variant.'],
};

export function refusalOf(no: Refused): Refusal {
  if ('positions' in no) {
    const faults = no.positions.map(FIELDS[no.kind]);
    return Refusal.invalidFields(
      Object.fromEntries(faults.map(([field, fault]) => [field, [`${field} ${fault}`]])),
    );
  }
  const { kind, ...details } = no;
  // TypeScript cannot tie the entry of the table to the facts of the same kind.
  const { status, code = kind, words } = ANSWERS[kind] as Answer<Kind>;
  return new Refusal(status, { error: words(no), code, details });
}
