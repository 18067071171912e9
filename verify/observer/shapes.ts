// The shapes of answers (contract 2.4, 4 and 7). Each function returns a description of the fault, or null.
import { isStatus, type Status } from './order-states.ts';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isAmount = (value: unknown): boolean => isText(value) && /^\d+\.\d\d$/.test(value);
const isTimestamp = (value: unknown): boolean =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/.test(value);

type Rules = Record<string, readonly [words: string, holds: (value: unknown) => boolean]>;

const TEXT = ['text', isText] as const;
const COUNT = ['a non-negative whole number', isCount] as const;
const AMOUNT = ['a decimal text with two decimals', isAmount] as const;

const ORDER: Rules = {
  id: COUNT,
  order_number: TEXT,
  status: ['an order status', isStatus],
  total_amount: AMOUNT,
  recipient_name: TEXT,
  items: ['a list', Array.isArray],
  created_at: ['a timestamp with an offset', isTimestamp],
};
const ORDER_LINE: Rules = { product_code: TEXT, product_name: TEXT, quantity: COUNT, unit_price: AMOUNT };
const LOOKUP: Rules = { sku: TEXT, available: COUNT, reserve_remaining: COUNT };
const LIST_ROW: Rules = {
  ...LOOKUP,
  product_code: TEXT,
  product_name: TEXT,
  quantity: COUNT,
  allocated: COUNT,
};
const CONFLICT: Rules = {
  error: TEXT,
  code: ['a known code', (code) => code === 'invalid_transition' || code === 'insufficient_stock'],
  current_status: ['an order status', isStatus],
  requested_status: ['an order status', isStatus],
};

/** Fields that an answer about an order must never contain (contract 2.4.12). */
const INTERNAL = [
  'is_backorder',
  'tracking_number',
  'local_currency_code',
  'local_total_amount',
  'exchange_rate',
];

export interface OrderShown {
  id: number;
  order_number: string;
  status: Status;
  total_amount: string;
  recipient_name: string;
  items: { product_code: string; product_name: string; quantity: number; unit_price: string }[];
  created_at: string;
}

export interface Lookup {
  sku: string;
  available: number;
  reserve_remaining: number;
}

export interface ListRow extends Lookup {
  product_code: string;
  product_name: string;
  quantity: number;
  allocated: number;
}

export interface ConflictShown {
  code: 'invalid_transition' | 'insufficient_stock';
  current_status: Status;
  requested_status: Status;
}

function fault(value: unknown, rules: Rules, path = ''): string | null {
  if (!isObject(value)) return `${path === '' ? 'the answer' : path.slice(0, -1)} is not an object`;
  for (const [name, [words, holds]] of Object.entries(rules)) {
    if (!holds(value[name])) return `${path}${name} is ${JSON.stringify(value[name])} and not ${words}`;
  }
  return null;
}

function faultAmong(rows: readonly unknown[], rules: Rules, path: string): string | null {
  for (const [place, row] of rows.entries()) {
    const found = fault(row, rules, `${path}.${place}.`);
    if (found !== null) return found;
  }
  return null;
}

export function orderFault(json: unknown): string | null {
  const data = isObject(json) ? json['data'] : undefined;
  const found = fault(data, ORDER, 'data.');
  if (found !== null) return found;
  const order = data as JsonObject;
  const internal = INTERNAL.find((name) => Object.hasOwn(order, name));
  if (internal !== undefined) return `data.${internal} is shown and must not be`;
  return faultAmong(order['items'] as unknown[], ORDER_LINE, 'data.items');
}

export function listFault(json: unknown): string | null {
  const rows = isObject(json) ? json['data'] : undefined;
  if (!Array.isArray(rows)) return 'data is not a list';
  const found = faultAmong(rows, LIST_ROW, 'data');
  if (found !== null) return found;
  const repeated = (rows as ListRow[]).find(({ sku }, place) => place > 0 && rows[place - 1].sku === sku);
  return repeated ? `the SKU ${repeated.sku} occurs twice` : null;
}

export const lookupFault = (json: unknown): string | null => fault(json, LOOKUP);
export const conflictFault = (json: unknown): string | null => fault(json, CONFLICT);

/** The shape of every refusal except validation failures. */
export const errorFault = (json: unknown): string | null =>
  isObject(json) && Object.hasOwn(json, 'errors')
    ? 'it has the shape of a validation failure'
    : fault(json, { error: TEXT });
