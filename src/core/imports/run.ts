// Imports the rows of a file. All of them are checked before the first is written. Most imports are written, audited and
// journaled in the transaction that checked them. Long ones, which lock rows that orders need, are written in parts with a
// transaction each: an interruption leaves the first parts, and repeating the import writes the others.
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import type { Refused } from '../../platform/admin-api/refused.ts';
import {
  addCounts,
  journalOf,
  type Counts,
  type Import,
  type ImportRefusal,
  type Part,
  type PartRefusal,
  type Progress,
} from './plan.ts';
import { Problems } from '../../platform/csv/problems.ts';

interface ImportRun {
  import: Import;
  /** Problems found while reading the rows. */
  problems: Problems;
  progress: Progress;
  dry_run: boolean;
  /** The source of the rows, for the audit log. */
  file: string;
}

export interface ImportResult {
  counts: Counts;
  /** False: the database already matched the file. */
  changes: boolean;
  /** If there is a problem, nothing was written. */
  problems: Problems;
}

interface Planned extends ImportResult {
  /** What is still to be written, in a transaction each. */
  parts: readonly Part[];
}

/** The first parts were written, and the rest was not. */
export class PartlyImported extends Error {
  readonly written: number;
  readonly parts: number;

  constructor(written: number, parts: number, cause: unknown) {
    super('the import was interrupted', { cause });
    this.name = 'PartlyImported';
    this.written = written;
    this.parts = parts;
  }
}

/** Runs work in a transaction of its own, and throws refusals. */
type Transact = <Outcome extends Done | ImportRefusal>(
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
) => Promise<Exclude<Outcome, Refused>>;

/** Throws `PartlyImported` if it is interrupted between two parts. */
export async function importFile(transact: Transact, run: ImportRun): Promise<ImportResult> {
  const job = run.import;
  let sum: Counts | null = null;
  let written = 0;
  let parts = 0;
  for (;;) {
    try {
      const planned = await transact((tx, by) => planFile(tx, by, run, written > 0));
      if (written > 0 && planned.problems.count > 0) throw new Error('the rows no longer fit the database');
      if (written === 0 && planned.parts.length === 0) return planned;
      parts = written + planned.parts.length;
      sum ??= planned.counts;
      for (const part of planned.parts) {
        const at = planned.changes ? { part: written + 1, parts } : null;
        const { counts } = await transact((tx, by) => writePart(tx, by, run, { part, at }));
        sum = addCounts(sum, counts);
        written += 1;
      }
      return { ...planned, counts: sum };
    } catch (error) {
      const explained = job.explain?.(error) ?? null;
      if (explained === 'again') continue;
      if (written > 0) throw new PartlyImported(written, parts, explained ?? error);
      throw explained ?? error;
    }
  }
}

/** Audited even if nothing changes, because operators look for the import in the audit log. */
const planFile = (
  tx: Tx,
  by: Actor,
  { import: job, problems: known, progress, dry_run, file }: ImportRun,
  isContinued: boolean,
) =>
  changing<Planned, ImportRefusal['kind']>(tx, by, async () => {
    if (!dry_run) await job.lock(tx);
    const refusal = await job.target?.refusal(tx);
    if (refusal) return refusal;
    const problems = new Problems(known);
    progress.begin();
    const plan = await job.plan(tx, problems, progress, by);
    const { changes, parts = [] } = plan;
    if (dry_run || problems.count > 0)
      return { done: { counts: plan.counts, changes, problems, parts: [] }, audit: 'rolled_back' };
    if (isContinued || parts.length > 1) {
      const counts = plan.unwritten ?? {};
      const done = { counts, changes, problems, parts };
      return changes
        ? { done, audit: 'nothing_changed' }
        : { done, audit: auditOf(job, file, plan.counts), journal: null };
    }
    // A single part is more than its changes: a count of stock that changes nothing is recorded.
    const applied = changes || parts.length > 0 ? await plan.apply(tx) : { counts: plan.counts };
    if ('kind' in applied) return applied;
    return {
      done: { counts: applied.counts, changes, problems, parts: [] },
      audit: auditOf(job, file, applied.counts),
      journal: journalOf(applied),
    };
  });

const auditOf = ({ what, target }: Import, file: string, facts: object) => ({
  action: `import.${what}`,
  subject: target?.subject ?? what,
  before: null,
  after: { file, ...facts },
});

/** Each part has its own audit entry, which tells how far an interrupted import came. `at` null: nothing changes. */
const writePart = (
  tx: Tx,
  by: Actor,
  { import: job, file }: ImportRun,
  { part, at }: { part: Part; at: { part: number; parts: number } | null },
) =>
  changing<{ counts: Counts }, PartRefusal['kind']>(tx, by, async () => {
    const applied = await part(tx);
    if ('kind' in applied) return applied satisfies PartRefusal;
    const { counts } = applied;
    if (at === null) return { done: { counts }, audit: 'nothing_changed' };
    return {
      done: { counts },
      audit: auditOf(job, file, { ...at, ...counts }),
      journal: journalOf(applied),
    };
  });
