// stock.csv: sets physical stock, through the ledger, under the locks of the stock rows.
import type { Tx } from '../../store/database.ts';
import { chunks, lookUpVariants, type FoundVariant } from '../../store/import.ts';
import { recordCounts } from '../../store/stock-counts.ts';
import { ensureStock, lockStockRows } from '../../store/stock.ts';
import {
  idsOf,
  lastMovementId,
  readAgain,
  requireUnchangedStock,
  setQuantities,
  StockMoved,
  writeLedger,
  type QuantityChange,
} from '../../store/stock-quantities.ts';
import type { Actor } from '../changing.ts';
import { CODE_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from '../../domain/text-limits.ts';
import type { CsvRow } from './csv.ts';
import { RowReader, SeenKeys } from './fields.ts';
import { inChunks, lookUp, type Counts, type Import, type Plan, type Progress } from './plan.ts';
import type { Problems } from './problems.ts';

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
  let counted: readonly number[] = [];
  let moving: Moving = new Set<number>();
  let tries = 0;
  return {
    what: 'stock',
    channel_id: null,
    shape: { required: ['variant_code', 'quantity'], optional: ['reason'] },
    read: (row, problems) => stock.read(row, problems),
    lock: async () => {}, // rows, in order, when they are changed
    async plan(tx, problems, progress, by) {
      const plan = await planStock(tx, stock.list, { by, problems, progress, moving });
      counted = plan.variant_ids;
      return plan;
    },
    // After the commit: under the locks of the stock rows, recording 100,000 counts would delay orders by another
    // second.
    async afterCommit(tx) {
      for (const chunk of chunks(counted)) await recordCounts(tx, chunk);
    },
    runsAgainAfter(error) {
      if (!(error instanceof StockMoved) || moving === 'all') return false;
      tries += 1;
      moving = tries < STAGED_TRIES_MAX ? new Set([...moving, ...error.variant_ids]) : 'all';
      return true;
    },
  };
}

/**
 * Writing the ledger is most of the work. It is done before any row is locked, so that orders wait for less than a
 * second. If stock changes meanwhile, the transaction starts again, and the ledger of the variants listed here (those
 * that changed) is written under the locks.
 */
export type Moving = ReadonlySet<number> | 'all';

const STAGED_TRIES_MAX = 4;
/**
 * Variants with open orders may be shipped, so they are treated as moving too. In the first attempt up to this
 * number.
 */
const OPEN_VARIANTS_MAX = 10_000;

export async function planStock(
  tx: Tx,
  list: readonly StockRow[],
  { by, problems, progress, moving }: { by: Actor; problems: Problems; progress: Progress; moving: Moving },
): Promise<Plan & { variant_ids: readonly number[] }> {
  // Read before the quantities, which may not include later movements.
  const before = await lastMovementId(tx);
  const variants = await lookUp<FoundVariant>(
    list.map((row) => row.variant_code),
    (codes) => lookUpVariants(tx, codes),
    ({ code }) => code,
  );
  const wanted: QuantityChange[] = [];
  const missing: number[] = [];
  const open = new Set<number>();
  for (const { line, variant_code, quantity, reason } of list) {
    const found = variants.get(variant_code);
    if (!found) {
      problems.add(line, { kind: 'variant_unknown', variant_code });
      continue;
    }
    if (found.quantity === null) missing.push(found.id);
    const stored = found.quantity ?? 0;
    // Unchanged quantities need no lock: a shipment meanwhile has the same effect as one right after the import.
    if (stored === quantity) continue;
    wanted.push({ variant_id: found.id, before: stored, quantity, reason });
    if (found.has_open_orders) open.add(found.id);
  }
  const mayMove = (late: ReadonlySet<number>): ReadonlySet<number> =>
    late.size > 0 || open.size <= OPEN_VARIANTS_MAX ? new Set([...late, ...open]) : late;
  const late = moving === 'all' ? null : mayMove(moving);
  const isMoving = ({ variant_id }: QuantityChange): boolean => late?.has(variant_id) ?? true;
  missing.sort((a, b) => a - b); // stock rows are locked in this order everywhere
  return {
    counts: countsOf(list.length, missing.length, wanted),
    changes: missing.length + wanted.length > 0,
    variant_ids: [...variants.values()].map(({ id }) => id),
    async apply() {
      let created = 0;
      // New rows are not visible to others yet, so nothing waits for them.
      await inChunks(progress, missing, async (chunk) => (created += await ensureStock(tx, chunk)));
      const applied = await change(tx, { wanted, isMoving, before, actor: by.actor });
      progress.advance('write', wanted.length);
      const touched = new Set([...missing, ...applied.map(({ variant_id }) => variant_id)]);
      return {
        counts: countsOf(list.length, created, applied),
        variant_ids: [...touched],
        only_quantities: true,
      };
    },
  };
}

interface Wanted {
  wanted: readonly QuantityChange[];
  isMoving: (row: QuantityChange) => boolean;
  /** The last movement before the quantities were read. */
  before: number;
  actor: string;
}

async function change(
  tx: Tx,
  { wanted, isMoving, before, actor }: Wanted,
): Promise<readonly QuantityChange[]> {
  const staged = wanted.filter((row) => !isMoving(row));
  await writeLedger(tx, staged, actor, 'import');
  // No locks are held yet: starting again now is cheaper than under the locks.
  await requireUnchangedStock(tx, staged, before);
  await lockStockRows(tx, idsOf(wanted));
  await requireUnchangedStock(tx, staged, before);
  const late = await readAgain(tx, wanted.filter(isMoving));
  await writeLedger(tx, late, actor, 'import');
  const changes = [...staged, ...late];
  await setQuantities(tx, changes);
  return changes;
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
