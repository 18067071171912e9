// Imports a delivery or a count of many variants from a CSV text: all rows or none, under the locks of the stock rows. A long
// list is checked whole and then entered in parts, each in its own transaction, so that orders wait for one part only.
import { decideCount } from '../rules/stock-count.ts';
import { decideAdjustment } from '../rules/stock-changes.ts';
import { NO_STOCK_CHANGE, overcommittedBy } from '../rules/stock.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import type { Tx } from '../../platform/database/database.ts';
import { lookUpVariants, type FoundVariant } from '../products/import-store.ts';
import { readBooks, recordCounts } from './counts-store.ts';
import { extendStockImport, insertStockImport } from './imports-store.ts';
import { ensureStock, lockStockRows } from './store.ts';
import { setQuantities, writeLedger, type QuantityChange } from './quantities-store.ts';
import { changing, type Actor } from '../journal/change.ts';
import { parseCsvText } from '../../platform/csv/csv.ts';
import { lookUp, PART_ROWS_MAX } from '../imports/plan.ts';
import { PartlyImported } from '../imports/run.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import { chunks } from '../../platform/values/chunks.ts';
import { Problems, type CsvFact, type Problem } from '../../platform/csv/problems.ts';
import { StockRows, unitsOf, type StockRow } from './import.ts';

export const STOCK_CSV_ROWS_MAX = 10_000;
const PROBLEMS_SHOWN_MAX = 200;

/** `set`: a count. `add`: a delivery. `subtract`: goods that leave, or the reversal of a delivery. */
export const STOCK_MODES = ['set', 'add', 'subtract'] as const;
export type StockMode = (typeof STOCK_MODES)[number];

interface StockCsv {
  stock: { readonly list: readonly StockRow[] };
  problems: Problems;
}

interface StockCsvRow {
  line: number;
  variant_code: string;
  /** null: no stock record yet. */
  before: number | null;
  after: number;
  /** Goods that moved after the count; 0 for a delivery. */
  moved_since: number;
  overcommitted_by: number;
}

export interface StockCsvReport {
  /** Rows written, or in a dry run: rows that would be written. 0 if there is a problem. */
  count: number;
  /** The first problems. */
  problems: Problem[];
  problem_count: number;
  rows: StockCsvRow[];
  /** For the undo; null: nothing was written. */
  import_id: number | null;
}

export async function readStockCsv(csv: string, takesDoubtful = false): Promise<StockCsv> {
  const stock = new StockRows();
  const problems = new Problems({ takesDoubtful });
  const shape = { required: ['variant_code', 'quantity'], optional: [] };
  await parseCsvText(csv, shape, STOCK_CSV_ROWS_MAX, problems, (row) => stock.read(row, problems));
  return { stock, problems };
}

export interface StockCsvRequest {
  file: StockCsv;
  mode: StockMode;
  reason: string;
  /** null: now. */
  counted_at: Date | null;
  dry_run: boolean;
}

/** A list that is entered in parts. `import_id` null: this is the first one. */
interface Entering {
  import_id: number | null;
  at: { part: number; parts: number };
}

type Transact = (
  work: (tx: Tx, by: Actor) => Promise<Done<{ report: StockCsvReport }>>,
) => Promise<Done<{ report: StockCsvReport }>>;

/**
 * `transact` runs work in a transaction of its own. A list whose rows fit no longer, because goods moved between the check
 * and a part, is interrupted like one whose database is lost: what was entered stays, and can be undone as a whole.
 */
export async function importStockList(
  transact: Transact,
  wanted: StockCsvRequest,
  partRows = PART_ROWS_MAX,
): Promise<StockCsvReport> {
  const { file, dry_run } = wanted;
  const lists = [...chunks(file.stock.list, partRows)];
  if (dry_run || lists.length <= 1)
    return (await transact((tx, by) => importStockCsv(tx, by, wanted))).report;
  const { report: checked } = await transact((tx, by) =>
    importStockCsv(tx, by, { ...wanted, dry_run: true }),
  );
  if (checked.problem_count > 0) return checked;
  let import_id: number | null = null;
  for (const [index, list] of lists.entries()) {
    const entering: Entering = { import_id, at: { part: index + 1, parts: lists.length } };
    const part = { ...wanted, file: { stock: { list }, problems: new Problems(file.problems) } };
    try {
      const { report } = await transact((tx, by) => importStockCsv(tx, by, part, entering));
      if (index === 0 && report.problem_count > 0) return report;
      if (report.problem_count > 0) throw new Error('the rows no longer fit the database');
      import_id = report.import_id;
    } catch (error) {
      throw import_id === null ? error : new StockPartlyEntered(import_id, index, lists.length, error);
    }
  }
  return { ...checked, import_id };
}

/** The first parts of a list were entered, and the rest was not. */
export class StockPartlyEntered extends PartlyImported {
  /** For the undo. */
  readonly import_id: number;

  constructor(import_id: number, written: number, parts: number, cause: unknown) {
    super(written, parts, cause);
    this.name = 'StockPartlyEntered';
    this.import_id = import_id;
  }
}

const importStockCsv = (
  tx: Tx,
  by: Actor,
  wanted: StockCsvRequest,
  entering: Entering = { import_id: null, at: { part: 1, parts: 1 } },
) =>
  changing<{ report: StockCsvReport }>(tx, by, async () => {
    const { file, mode, counted_at, dry_run } = wanted;
    const problems = new Problems(file.problems);
    const variants = await lookUp<FoundVariant>(
      file.stock.list.map((row) => row.variant_code),
      (codes) => lookUpVariants(tx, codes),
      ({ code }) => code,
    );
    const ids = [...variants.values()].map(({ id }) => id).toSorted((a, b) => a - b);
    if (!dry_run) {
      await ensureStock(tx, ids);
      await lockStockRows(tx, ids);
    }
    // Read after locking: earlier shipments are included, and later ones wait.
    const books = await readBooks(tx, ids, mode === 'set' ? counted_at : null);
    const { rows, changes } = decideRows(wanted, variants, books, problems);
    const count = problems.count > 0 ? 0 : rows.length;
    const shown = problems.first(PROBLEMS_SHOWN_MAX);
    const report = { count, problems: shown, problem_count: problems.count, rows, import_id: null };
    if (dry_run || count === 0) return { done: { report }, audit: 'rolled_back' };
    const import_id = await write(tx, by, wanted, { ids, books, changes, into: entering.import_id });
    return {
      done: { report: { ...report, import_id } },
      audit: {
        action: 'stock.import',
        subject: 'stock',
        before: null,
        after: {
          ...auditOf(wanted, count, changes),
          import_id,
          ...(entering.at.parts > 1 ? entering.at : {}),
        },
      },
      journal: { variant_ids: ids, only_quantities: true },
    };
  });

type BooksById = Awaited<ReturnType<typeof readBooks>>;

/** The rows that can be entered, and the quantities that they change. The others become problems. */
function decideRows(
  { file, mode, reason, counted_at }: StockCsvRequest,
  variants: ReadonlyMap<string, FoundVariant>,
  books: BooksById,
  problems: Problems,
): { rows: StockCsvRow[]; changes: QuantityChange[] } {
  const rows: StockCsvRow[] = [];
  const changes: QuantityChange[] = [];
  for (const row of file.stock.list) {
    const { line, variant_code } = row;
    const found = variants.get(variant_code);
    if (!found) {
      problems.add(line, { kind: 'variant_unknown', variant_code });
      continue;
    }
    const current = books.get(found.id) ?? NO_BOOKS;
    const decision = decideRow(row, mode, current, counted_at);
    if ('fact' in decision) {
      problems.add(line, decision.fact);
      continue;
    }
    const { after, moved_since } = decision;
    const isNew = found.quantity === null && current.quantity === 0;
    rows.push({
      line,
      variant_code,
      before: isNew ? null : current.quantity,
      after,
      moved_since,
      overcommitted_by: overcommittedBy({ ...NO_STOCK_CHANGE, ...current, quantity: after }),
    });
    if (after !== current.quantity)
      changes.push({ variant_id: found.id, before: current.quantity, quantity: after, reason });
  }
  return { rows, changes };
}

/** Returns the id by which the import can be undone. */
async function write(
  tx: Tx,
  by: Actor,
  { mode, counted_at }: StockCsvRequest,
  {
    ids,
    books,
    changes,
    into,
  }: { ids: number[]; books: BooksById; changes: readonly QuantityChange[]; into: number | null },
): Promise<number> {
  await writeLedger(tx, changes, by.actor, mode === 'set' ? 'set' : 'adjustment');
  await setQuantities(tx, changes);
  if (mode === 'set') await recordCounts(tx, ids, counted_at);
  const deltas = new Map(changes.map((one) => [one.variant_id, one.quantity - one.before]));
  const made = {
    variant_ids: ids,
    deltas: ids.map((id) => deltas.get(id) ?? 0),
    counted_before: mode === 'set' ? ids.map((id) => books.get(id)?.counted_at ?? null) : null,
    entries: mode === 'set' ? ids.map((id) => (books.get(id)?.entries ?? 0) + 1) : null,
  };
  if (into === null) return insertStockImport(tx, { mode, ...made });
  await extendStockImport(tx, into, made);
  return into;
}

const NO_BOOKS = { quantity: 0, unshipped: 0, allocated: 0, counted_at: null, entries: 0, moved: [] };

type RowDecision = { after: number; moved_since: number } | { fact: CsvFact };

function decideRow(
  { variant_code, quantity }: StockRow,
  mode: StockMode,
  books: Parameters<typeof decideCount>[0],
  counted_at: Date | null,
): RowDecision {
  if (mode !== 'set') {
    const decision = decideAdjustment(books.quantity, mode === 'add' ? quantity : -quantity);
    if (decision.kind === 'change') return { after: decision.quantity_after, moved_since: 0 };
    return {
      fact:
        decision.kind === 'below_zero'
          ? { kind: 'below_zero', variant_code, quantity: books.quantity }
          : { kind: 'beyond_limit', variant_code, quantity: books.quantity, maximum: INT32_MAX },
    };
  }
  const decision = decideCount(books, { quantity, counted_at });
  if (decision.kind === 'change')
    return { after: decision.quantity_after, moved_since: decision.moved_since };
  if (decision.kind === 'count_outdated')
    return {
      fact: { kind: 'count_outdated', variant_code, counted_at: decision.counted_at.toISOString() },
    };
  const { counted, moved_since } = decision;
  return decision.kind === 'count_below_zero'
    ? { fact: { kind: 'count_below_zero', variant_code, counted, moved_since } }
    : { fact: { kind: 'count_beyond_limit', variant_code, counted, moved_since, maximum: INT32_MAX } };
}

/** Without the quantities, which are in the ledger with the same reason. */
const auditOf = (
  { mode, reason, counted_at }: StockCsvRequest,
  rows: number,
  changes: readonly QuantityChange[],
): object => ({
  mode,
  reason,
  ...(counted_at === null ? {} : { counted_at: counted_at.toISOString() }),
  rows,
  ...unitsOf(changes),
});
