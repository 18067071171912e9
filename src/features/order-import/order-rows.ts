// orders.csv: one row for each line of an order. Later rows of an order repeat its fields or leave them empty.
import { BASE_CURRENCY, readCurrencyCode } from '../../core/rules/currency.ts';
import { decimal, formatPlain, parseDecimal, RATE_DECIMALS_MAX } from '../../platform/values/money.ts';
import {
  ORDER_LINES_MAX,
  ORDER_NUMBER_CHARACTERS_MAX,
  RECIPIENT_NAME_CHARACTERS_MAX,
  RECIPIENT_PHONE_CHARACTERS_MAX,
  SHIPPING_ADDRESS_CHARACTERS_MAX,
  TRACKING_NUMBER_CHARACTERS_MAX,
} from '../../core/rules/order-limits.ts';
import { readTimestamp } from '../../platform/values/timestamps.ts';
import { STATUSES, type Status } from '../../core/rules/transitions.ts';
import { CODE_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { CHANNEL_COLUMNS, readChannelOfRow, type ChannelOfRow } from '../../core/channels/channel-names.ts';
import type { CsvRow, CsvShape } from '../../platform/csv/csv.ts';
import { RowReader, SeenKeys, SimilarCodes } from '../../platform/csv/fields.ts';
import type { Problems } from '../../platform/csv/problems.ts';

const AMOUNT_DECIMALS_MAX = 2;

/** Columns of the order, which have the same value in all its rows. */
const NEEDED = ['status', 'created_at', 'recipient_name', 'recipient_phone', 'shipping_address'];
const OPTIONAL = [
  ...CHANNEL_COLUMNS,
  'is_backorder',
  'tracking_number',
  'courier_code',
  'cancel_reason',
  'local_currency_code',
  'exchange_rate',
  'local_total_amount',
  'total_amount',
];

export const ORDER_SHAPE: CsvShape = {
  required: ['order_number', ...NEEDED, 'sku', 'quantity', 'local_unit_price'],
  optional: [...OPTIONAL, 'variant_code', 'unit_price', 'from_allocation'],
};

export interface LineOfFile {
  /** Line number in the file. */
  line: number;
  /** Line number of an equal row of the order. */
  first_line: number | null;
  sku: string;
  /** null: the variant that the SKU is mapped to. */
  variant_code: string | null;
  quantity: number;
  local_unit_price: string;
  /** null: computed from the rate. */
  unit_price: string | null;
  from_allocation: number;
}

export interface OrderOfFile extends ChannelOfRow {
  /** Line number of the order's first row. */
  line: number;
  order_number: string;
  status: Status;
  created_at: Date;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  is_backorder: boolean;
  tracking_number: string | null;
  courier_code: string | null;
  cancel_reason: string | null;
  /** null: the channel's currency. */
  local_currency_code: string | null;
  /** null: not given. */
  exchange_rate: string | null;
  local_total_amount: string | null;
  total_amount: string | null;
  lines: LineOfFile[];
}

interface ReadOrder {
  order: OrderOfFile;
  /** Of its first row. */
  values: CsvRow['values'];
  isValid: boolean;
  rows: SeenKeys;
}

export class OrderRows {
  readonly #orders = new Map<string, ReadOrder>();
  readonly #alike = new SimilarCodes();

  /** Columns of the file. */
  get columns(): ReadonlySet<string> {
    const [first] = this.#orders.values();
    return new Set(Object.keys(first?.values ?? {}));
  }

  has(order_number: string): boolean {
    return this.#orders.has(order_number);
  }

  /** Without orders that have a problem: their values may be ones that the database cannot read. */
  get list(): OrderOfFile[] {
    return [...this.#orders.values()].flatMap(({ order, isValid }) => (isValid ? order : []));
  }

  get lineCount(): number {
    let count = 0;
    for (const { order } of this.#orders.values()) count += order.lines.length;
    return count;
  }

  read(row: CsvRow, problems: Problems): void {
    const reader = new RowReader(row, problems);
    const order_number = reader.text('order_number', ORDER_NUMBER_CHARACTERS_MAX);
    const line = readLine(reader, row);
    const lineIn = (rows: SeenKeys): LineOfFile => ({
      ...line,
      first_line: rows.earlier(JSON.stringify({ ...line, line: 0 }), row.line),
    });
    const known = this.#orders.get(order_number);
    if (known) {
      checkRepeated(reader, row, known.values, known.order);
      known.order.lines.push(lineIn(known.rows));
      checkBackorder(reader, known.order);
      if (known.order.lines.length === ORDER_LINES_MAX + 1)
        reader.fail({ kind: 'too_many_lines', order_number, lines_max: ORDER_LINES_MAX });
      known.isValid &&= reader.ok;
      return;
    }
    const order = readOrder(reader, row, order_number);
    const rows = new SeenKeys();
    order.lines.push(lineIn(rows));
    checkBackorder(reader, order);
    // Kept even if it has a problem, so that later rows are still recognized as rows of the same order.
    if (order_number === '') return;
    this.#orders.set(order_number, { order, values: row.values, isValid: reader.ok, rows });
    this.#alike.check(problems, row.line, { column: 'order_number', value: order_number });
  }
}

/** A backorder takes nothing from a pre-allocation (contract 2.3). */
function checkBackorder(reader: RowReader, { is_backorder, lines }: OrderOfFile): void {
  if (is_backorder && (lines.at(-1)?.from_allocation ?? 0) > 0)
    reader.fault('from_allocation', { kind: 'not_equal', expected: '0' });
}

const FLAGS_TRUE = ['true', '1'];

/** The same for two ways to write one time, number or flag. Texts mean what they are. */
function meaningOf(column: string, value: string): string {
  const word = value.trim();
  if (column === 'created_at') return readTimestamp(word)?.toISOString() ?? word;
  if (column === 'is_backorder') return String(FLAGS_TRUE.includes(word.toLowerCase()));
  if (AMOUNTS.includes(column) && parseDecimal(word)) return formatPlain(decimal(word));
  return column === 'status' || column === 'channel_id' ? word : value;
}

const AMOUNTS = ['exchange_rate', 'local_total_amount', 'total_amount'];

function checkRepeated(
  reader: RowReader,
  row: CsvRow,
  first: CsvRow['values'],
  { order_number, line: first_line }: OrderOfFile,
): void {
  for (const column of [...NEEDED, ...OPTIONAL]) {
    const value = row.values[column] ?? '';
    if (value.trim() !== '' && meaningOf(column, value) !== meaningOf(column, first[column] ?? ''))
      reader.fail({ kind: 'order_field_differs', column, order_number, first_line });
  }
}

function readLine(reader: RowReader, row: CsvRow): Omit<LineOfFile, 'first_line'> {
  const quantity = reader.quantity('quantity');
  if (quantity === 0) reader.fault('quantity', { kind: 'too_small', minimum: 1 });
  const from_allocation = reader.optionalQuantity('from_allocation') ?? 0;
  if (from_allocation > quantity) reader.fault('from_allocation', { kind: 'too_large', maximum: quantity });
  const local_unit_price = reader.decimal('local_unit_price');
  if (local_unit_price === null && reader.word('local_unit_price') === '')
    reader.fail({ kind: 'value_missing', column: 'local_unit_price' });
  return {
    line: row.line,
    sku: reader.text('sku', CODE_CHARACTERS_MAX),
    variant_code: reader.optional('variant_code', CODE_CHARACTERS_MAX),
    quantity,
    local_unit_price: local_unit_price ?? '0',
    unit_price: reader.decimal('unit_price', AMOUNT_DECIMALS_MAX),
    from_allocation,
  };
}

const readOrder = (reader: RowReader, row: CsvRow, order_number: string): OrderOfFile => ({
  line: row.line,
  order_number,
  ...readChannelOfRow(reader),
  status: readStatus(reader),
  created_at: readMoment(reader),
  recipient_name: reader.text('recipient_name', RECIPIENT_NAME_CHARACTERS_MAX),
  recipient_phone: reader.text('recipient_phone', RECIPIENT_PHONE_CHARACTERS_MAX),
  shipping_address: reader.text('shipping_address', SHIPPING_ADDRESS_CHARACTERS_MAX),
  is_backorder: reader.flag('is_backorder'),
  tracking_number: reader.optional('tracking_number', TRACKING_NUMBER_CHARACTERS_MAX),
  courier_code: reader.optional('courier_code', CODE_CHARACTERS_MAX),
  cancel_reason: reader.optional('cancel_reason', REASON_CHARACTERS_MAX),
  local_currency_code: readCurrency(reader),
  exchange_rate: readRate(reader),
  local_total_amount: reader.decimal('local_total_amount'),
  total_amount: reader.decimal('total_amount', AMOUNT_DECIMALS_MAX),
  lines: [],
});

function readStatus(reader: RowReader): Status {
  const text = reader.word('status');
  const status = STATUSES.find((each) => String(each) === text);
  if (status === undefined) reader.fault('status', { kind: 'not_listed', allowed: STATUSES });
  return status ?? 0;
}

function readMoment(reader: RowReader): Date {
  if (reader.word('created_at') === '') reader.fail({ kind: 'value_missing', column: 'created_at' });
  return reader.timestamp('created_at') ?? new Date(0);
}

function readCurrency(reader: RowReader): string | null {
  const text = reader.word('local_currency_code');
  const code = text === '' ? null : readCurrencyCode(text);
  if (text !== '' && code === null) reader.fault('local_currency_code', { kind: 'not_a_currency' });
  return code;
}

/** 0 is valid here: the order was accepted without a rate (contract 2.6.5). */
function readRate(reader: RowReader): string | null {
  return reader.decimal('exchange_rate', RATE_DECIMALS_MAX);
}

/** Whether the rate is possible for this currency: the base currency has the rate 1. */
export const isRateOf = (currency: string, rate: string): boolean =>
  currency !== BASE_CURRENCY || decimal(rate).units === 10n ** BigInt(decimal(rate).scale);
