// A row of the stock list as JSON, in the key order of contract 4.1.
import type { InventoryLine } from '../store/inventory.ts';
import { sellable } from './sellable.ts';

export function stockRow(line: InventoryLine): string {
  const { available, reserve_remaining } = sellable(line);
  return (
    `{"sku":${JSON.stringify(line.sku)},"product_code":${JSON.stringify(line.product_code)},` +
    `"product_name":${JSON.stringify(line.product_name)},"quantity":${line.quantity ?? 0},` +
    `"allocated":${line.allocated ?? 0},"available":${available},"reserve_remaining":${reserve_remaining}}`
  );
}
