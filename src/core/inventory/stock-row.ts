// A row of the stock list as JSON, in the key order of contract 4.1.
import type { InventoryLine, MaybeQuantities } from './store.ts';
import { sellable } from './sellable.ts';

/** The last four fields, up to the end of the row. */
export function rowQuantities(row: MaybeQuantities): string {
  const { available, reserve_remaining } = sellable(row);
  return (
    `"quantity":${row.quantity ?? 0},"allocated":${row.allocated ?? 0},` +
    `"available":${available},"reserve_remaining":${reserve_remaining}}`
  );
}

export const stockRow = (line: InventoryLine): string =>
  `{"sku":${JSON.stringify(line.sku)},"product_code":${JSON.stringify(line.product_code)},` +
  `"product_name":${JSON.stringify(line.product_name)},${rowQuantities(line)}`;
