// stock.csv: sets physical stock, through the ledger, under the locks of the stock rows, in parts.
import type { Tx } from '../../platform/database/database.ts';
import { lookUpVariants, type FoundVariant } from '../products/import-store.ts';
import { recordCounts } from './counts-store.ts';
import { ensureStock, lockStockRows } from './store.ts';
import { idsOf, readAgain, setQuantities, writeLedger, type QuantityChange } from './quantities-store.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { CODE_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import { RowReader, SeenKeys } from '../../platform/csv/fields.ts';
import {
  applyAll,
  lookUp,
  partsOf,
  type Counts,
  type Import,
  type Plan,
  type Progress,
} from '../imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';

export interface StockRow {
  line: number;
  variant_code: string;
  quantity: number;
  reason: string | null;
}

/** The rows of a file, each variant once. */
export class StockRows {
  readonly list: StockRow[] = [];
  readonly #codes = new SeenKeys();

  read(row: CsvRow, problems: Problems): void {
    const reader = new RowReader(row, problems);
    const variant_code = reader.text('variant_code', CODE_CHARACTERS_MAX);
    const quantity = reader.quantity('quantity');
    const reason = reader.optional('reason', REASON_CHARACTERS_MAX);
    const first_line = reader.ok ? this.#codes.earlier(variant_code, row.line) : null;
    if (first_line !== null) reader.fail({ kind: 'variant_code_repeated', variant_code, first_line });
    if (reader.ok) this.list.push({ line: row.line, variant_code, quantity, reason });
  }
}

export function importStock(): Import {
  const stock = new StockRows();
  return {
    what: 'stock',
    shape: { required: ['variant_code', 'quantity'], optional: ['reason'] },
    read: (row, problems) => stock.read(row, problems),
    lock: async () => {}, // rows, in order, by each part
    plan: (tx, problems, progress, by) => planStock(tx, stock.list, { by, problems, progress }),
  };
}

export const stockImport: OfferedImport = {
  name: 'stock',
  command: {
    summary: 'set physical stock from a CSV file',
    about: [
      'Columns: variant_code,quantity[,reason]. SETS the physical quantity (0 to 2147483647) and creates',
      'missing stock rows; each change is a row of the ledger. Other variants keep their stock.',
    ],
    examples: ['sluice import stock stock.csv', 'warehouse-export | sluice import stock -'],
  },
  make: importStock,
};

export async function planStock(
  tx: Tx,
  list: readonly StockRow[],
  { by, problems, progress }: { by: Actor; problems: Problems; progress: Progress },
): Promise<Plan> {
  const variants = await lookUp<FoundVariant>(
    list.map((row) => row.variant_code),
    (codes) => lookUpVariants(tx, codes),
    ({ code }) => code,
  );
  const wanted: QuantityChange[] = [];
  const missing = new Set<number>();
  for (const { line, variant_code, quantity, reason } of list) {
    const found = variants.get(variant_code);
    if (!found) {
      problems.add(line, { kind: 'variant_unknown', variant_code });
      continue;
    }
    if (found.quantity === null) missing.add(found.id);
    wanted.push({ variant_id: found.id, before: found.quantity ?? 0, quantity, reason });
  }
  const parts = partsOf(wanted, async (own, rows) => {
    const ids = idsOf(rows);
    const created = await ensureStock(
      own,
      ids.filter((id) => missing.has(id)),
    );
    await lockStockRows(own, ids);
    // Read after locking: orders may have been shipped meanwhile.
    const changes = await readAgain(own, rows);
    await writeLedger(own, changes, by.actor, 'import');
    await setQuantities(own, changes);
    await recordCounts(own, ids);
    progress.advance('write', rows.length);
    const touched = [...ids.filter((id) => missing.has(id)), ...idsOf(changes)];
    return {
      counts: countsOf(rows.length, created, changes),
      variant_ids: [...new Set(touched)],
      only_quantities: true,
    };
  });
  const changed = wanted.filter(({ before, quantity }) => before !== quantity);
  return {
    counts: countsOf(list.length, missing.size, changed),
    changes: missing.size + changed.length > 0,
    parts,
    apply: (own) => applyAll(own, parts, countsOf(0, 0, [])),
  };
}

const countsOf = (rows: number, created: number, changes: readonly QuantityChange[]): Counts => ({
  rows,
  stock_rows_created: created,
  ...unitsOf(changes),
});

export function unitsOf(changes: readonly QuantityChange[]) {
  const deltas = changes.map(({ before, quantity }) => quantity - before);
  return {
    quantities_changed: deltas.length,
    units_added: deltas.reduce((sum, delta) => sum + Math.max(0, delta), 0),
    units_removed: deltas.reduce((sum, delta) => sum + Math.max(0, -delta), 0),
  };
}
