// stock.csv: sets physical stock, through the ledger, under the locks of the stock rows.
import type { Tx } from '../store/database.ts';
import {
  checkLedger,
  ensureStock,
  findVariants,
  lastMovementId,
  lockQuantities,
  lockUnread,
  setQuantities,
  StockMoved,
  writeLedger,
  type FoundVariant,
  type QuantityChange,
} from '../store/import.ts';
import { CODE_CHARACTERS_MAX, REASON_CHARACTERS_MAX, RowReader, SeenKeys } from '../engine/import/fields.ts';
import {
  inChunks,
  lookUp,
  type Counts,
  type Import,
  type Plan,
  type Progress,
} from '../engine/import/plan.ts';
import { quoted, type Problems } from '../engine/import/problems.ts';

export interface StockRow {
  line: number;
  variant_code: string;
  quantity: number;
  reason: string | null;
}

export function importStock(actor: string): Import {
  const list: StockRow[] = [];
  const codes = new SeenKeys();
  let ledger: LedgerTime = 'first';
  return {
    shape: { required: ['variant_code', 'quantity'], optional: ['reason'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const variant_code = reader.text('variant_code', CODE_CHARACTERS_MAX);
      const quantity = reader.quantity('quantity');
      const reason = reader.optional('reason', REASON_CHARACTERS_MAX);
      const earlier = reader.ok ? codes.earlier(variant_code, row.line) : null;
      if (earlier !== null)
        reader.fail(`variant_code ${quoted(variant_code)} is on line ${earlier} already.`);
      if (reader.ok) list.push({ line: row.line, variant_code, quantity, reason });
    },
    lock: async () => {}, // rows, in order, when they are changed
    plan: (tx, problems, progress) => planStock(tx, list, actor, problems, progress, ledger),
    runsAgainAfter(error) {
      if (!(error instanceof StockMoved) || ledger === 'locked') return false;
      ledger = 'locked';
      return true;
    },
  };
}

/**
 * `first`: the ledger is written before any row is locked, from what was read. That is most of the work, and it shortens
 * the time for which rows are locked; but stock that moves meanwhile makes it wrong, and `StockMoved` is thrown.
 * `locked`: it is written under the locks.
 */
export type LedgerTime = 'first' | 'locked';

export async function planStock(
  tx: Tx,
  list: readonly StockRow[],
  actor: string,
  problems: Problems,
  progress: Progress,
  ledger: LedgerTime = 'locked',
): Promise<Plan> {
  const variants = await lookUp<FoundVariant>(
    list.map((row) => row.variant_code),
    (codes) => findVariants(tx, codes),
    ({ code }) => code,
  );
  const wanted: QuantityChange[] = [];
  const missing: number[] = [];
  for (const { line, variant_code, quantity, reason } of list) {
    const found = variants.get(variant_code);
    if (!found) {
      problems.add(line, `variant ${quoted(variant_code)} does not exist.`);
      continue;
    }
    if (found.quantity === null) missing.push(found.id);
    const before = found.quantity ?? 0;
    // What is as the file has it needs no lock: a shipment meanwhile is as good as one right after the import.
    if (before !== quantity) wanted.push({ variant_id: found.id, before, quantity, reason });
  }
  missing.sort((a, b) => a - b); // the one order of locks
  return {
    counts: countsOf(list.length, missing.length, wanted),
    changes: missing.length + wanted.length > 0,
    async apply() {
      let created = 0;
      // Nobody else sees these rows yet, so nobody waits for them.
      await inChunks(progress, missing, async (chunk) => (created += await ensureStock(tx, chunk)));
      const applied = await (ledger === 'first' ? ledgerFirst : ledgerLocked)(tx, wanted, actor);
      progress.advance('write', wanted.length);
      const touched = new Set([...missing, ...applied.map(({ variant_id }) => variant_id)]);
      return {
        counts: countsOf(list.length, created, applied),
        variant_ids: [...touched],
        channel_ids: [],
      };
    },
  };
}

const idOf = ({ variant_id }: QuantityChange): number => variant_id;

async function ledgerFirst(
  tx: Tx,
  wanted: readonly QuantityChange[],
  actor: string,
): Promise<readonly QuantityChange[]> {
  const before = await lastMovementId(tx);
  await writeLedger(tx, wanted, actor);
  await lockUnread(tx, wanted.map(idOf));
  await setQuantities(tx, wanted);
  await checkLedger(tx, wanted, before);
  return wanted;
}

async function ledgerLocked(
  tx: Tx,
  wanted: readonly QuantityChange[],
  actor: string,
): Promise<readonly QuantityChange[]> {
  const locked = await lockQuantities(tx, wanted.map(idOf));
  const changes = wanted
    .map((row) => ({ ...row, before: locked.get(row.variant_id) ?? 0 }))
    .filter(({ before, quantity }) => before !== quantity);
  await writeLedger(tx, changes, actor);
  await setQuantities(tx, changes);
  return changes;
}

const countsOf = (rows: number, created: number, changes: readonly QuantityChange[]): Counts => {
  const deltas = changes.map(({ before, quantity }) => quantity - before);
  return {
    rows,
    stock_rows_created: created,
    quantities_changed: deltas.length,
    units_added: deltas.reduce((sum, delta) => sum + Math.max(0, delta), 0),
    units_removed: deltas.reduce((sum, delta) => sum + Math.max(0, -delta), 0),
  };
};
