// Imports all rows of a file or none: they are checked, written, audited and journaled in one transaction.
import { findChannel } from '../../store/channels.ts';
import type { Tx } from '../../store/database.ts';
import { changing, type Actor } from '../changing.ts';
import { journalOf, type Counts, type Import, type Progress } from './plan.ts';
import { Problems } from './problems.ts';

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

/** Audited even if nothing changes, because operators look for the import in the audit log. */
export const importFile = (
  tx: Tx,
  by: Actor,
  { import: job, problems: known, progress, dry_run, file }: ImportRun,
) =>
  changing<ImportResult, 'channel_unknown'>(tx, by, async () => {
    const { channel_id } = job;
    if (channel_id !== null && !(await findChannel(tx, channel_id)))
      return { kind: 'channel_unknown', channel_id };
    const problems = new Problems(known);
    if (!dry_run) await job.lock(tx);
    progress.begin();
    const plan = await job.plan(tx, problems, progress, by);
    const { changes } = plan;
    if (dry_run || problems.count > 0)
      return { done: { counts: plan.counts, changes, problems }, audit: 'nothing_changed' };
    const applied = changes ? await plan.apply(tx) : { counts: plan.counts };
    return {
      done: { counts: applied.counts, changes, problems },
      audit: {
        action: `import.${job.what}`,
        subject: channel_id === null ? job.what : `channel:${channel_id}`,
        before: null,
        after: { file, ...applied.counts },
      },
      journal: journalOf(applied),
    };
  });
