// Finds the differences between the stock that two services report to a channel.

/** The fields of `GET /inventory` beside the SKU. */
export const LIST_FIELDS = [
  'product_code',
  'product_name',
  'quantity',
  'allocated',
  'available',
  'reserve_remaining',
] as const;
const LOOKUP_FIELDS = ['available', 'reserve_remaining'] as const;
const SUMMED_FIELDS = ['quantity', 'allocated', 'available', 'reserve_remaining'] as const;

type StockField = (typeof LIST_FIELDS)[number];
/** Values as in a service's answer, not checked further. */
export type StockValues = Readonly<Record<string, unknown>>;

export interface Difference {
  /** Whether the list or the single lookup differs. */
  where: 'list' | 'lookup';
  sku: string;
  /** `sku`: only one of the services has it, or has it several times. */
  field: StockField | 'sku';
  /** null: no value. */
  old: string | number | null;
  new: string | number | null;
}

export interface ListedStock {
  /** Rows by SKU. */
  rows: ReadonlyMap<string, StockValues>;
  /** SKUs that are listed more than once. */
  repeated: readonly string[];
}

const shown = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number'
    ? value
    : value === undefined
      ? null
      : JSON.stringify(value);

function fieldDifferences(
  where: Difference['where'],
  sku: string,
  fields: readonly StockField[],
  [before, after]: readonly [StockValues, StockValues],
): Difference[] {
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ where, sku, field, old: shown(before[field]), new: shown(after[field]) }));
}

/** Repeated SKUs first, then the other differences in the order of SKUs. */
export function compareLists(
  before: ListedStock,
  after: ListedStock,
  ignored: ReadonlySet<string>,
): Difference[] {
  const fields = LIST_FIELDS.filter((field) => !ignored.has(field));
  const skus = [...new Set([...before.rows.keys(), ...after.rows.keys()])].toSorted();
  const repeated = (list: ListedStock, side: 'old' | 'new'): Difference[] =>
    list.repeated.map((sku) => ({
      where: 'list' as const,
      sku,
      field: 'sku' as const,
      old: null,
      new: null,
      [side]: 'listed several times',
    }));
  return [
    ...repeated(before, 'old'),
    ...repeated(after, 'new'),
    ...skus.flatMap((sku) => compareRows('list', sku, fields, before.rows.get(sku), after.rows.get(sku))),
  ];
}

/** null: the service answered 404. */
export const compareLookups = (
  sku: string,
  before: StockValues | null,
  after: StockValues | null,
  ignored: ReadonlySet<string>,
): Difference[] =>
  compareRows(
    'lookup',
    sku,
    LOOKUP_FIELDS.filter((field) => !ignored.has(field)),
    before ?? undefined,
    after ?? undefined,
  );

function compareRows(
  where: Difference['where'],
  sku: string,
  fields: readonly StockField[],
  before: StockValues | undefined,
  after: StockValues | undefined,
): Difference[] {
  if (before && after) return fieldDifferences(where, sku, fields, [before, after]);
  if (!before && !after) return [];
  return [{ where, sku, field: 'sku', old: before ? sku : null, new: after ? sku : null }];
}

export const differenceKey = ({ where, sku, field }: Difference): string =>
  JSON.stringify([where, sku, field]);

export interface Totals {
  rows: number;
  quantity: number;
  allocated: number;
  available: number;
  reserve_remaining: number;
}

export function totalsOf({ rows }: ListedStock): Totals {
  const totals: Totals = { rows: rows.size, quantity: 0, allocated: 0, available: 0, reserve_remaining: 0 };
  for (const row of rows.values())
    for (const field of SUMMED_FIELDS) {
      const value = row[field];
      if (typeof value === 'number') totals[field] += value;
    }
  return totals;
}
