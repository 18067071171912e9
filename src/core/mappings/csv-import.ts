// Imports a channel's mappings from a CSV text of the console: all rows or none.
import type { Tx } from '../../platform/database/database.ts';
import { findMappings } from './store.ts';
import { changing, type Actor } from '../journal/change.ts';
import { parseCsvText } from '../../platform/csv/csv.ts';
import { importMappings, type MappingImport } from './import.ts';
import { journalOf, NO_PROGRESS } from '../imports/plan.ts';
import { Problems, type Problem } from '../../platform/csv/problems.ts';

const CSV_ROWS_MAX = 100_000;
const PROBLEMS_SHOWN_MAX = 200;
const SAMPLE_ROWS_MAX = 50;

export interface MappingCsvReport {
  /** 0 if the file could not be read completely. */
  rows: number;
  created: number;
  replaced: number;
  unchanged: number;
  /** The first problems. */
  problems: Problem[];
  problem_count: number;
  applied: boolean;
  /** The first rows that change something; `before` null: a new SKU. */
  sample: { sku: string; variant_code: string; before: string | null }[];
}

/** A file that was read but not yet compared with the database. */
export interface MappingCsv {
  channel_id: number;
  rows: number;
  mappings: MappingImport;
  problems: Problems;
}

export async function readMappingCsv(
  channel_id: number,
  csv: string,
  takesDoubtful = false,
): Promise<MappingCsv> {
  const mappings = importMappings(channel_id);
  const problems = new Problems({ takesDoubtful });
  const rows = await parseCsvText(csv, mappings.shape, CSV_ROWS_MAX, problems, (row) =>
    mappings.read(row, problems),
  );
  return { channel_id, rows, mappings, problems };
}

export const importMappingCsv = (
  tx: Tx,
  by: Actor,
  { file, dry_run }: { file: MappingCsv; dry_run: boolean },
) =>
  changing<{ report: MappingCsvReport }, 'channel_unknown' | 'channel_archived'>(tx, by, async () => {
    const { channel_id, rows, mappings } = file;
    if (!dry_run) await mappings.lock(tx);
    const refusal = await mappings.target.refusal(tx);
    if (refusal) return refusal;
    const problems = new Problems(file.problems);
    const plan = await mappings.plan(tx, problems, NO_PROGRESS, by);
    const [created, replaced] = [plan.created.length, plan.replaced.length];
    const report = {
      rows,
      created,
      replaced,
      unchanged: plan.unchanged,
      problems: problems.first(PROBLEMS_SHOWN_MAX),
      problem_count: problems.count,
      applied: !dry_run && problems.count === 0,
      sample: await sampleOf(tx, channel_id, [...plan.created, ...plan.replaced]),
    };
    if (!report.applied) return { done: { report }, audit: 'rolled_back' };
    if (!plan.changes) return { done: { report }, audit: 'nothing_changed' };
    return {
      journal: journalOf(await plan.apply(tx)),
      done: { report },
      audit: {
        action: 'mapping.import',
        subject: `channel:${channel_id}`,
        before: null,
        after: { rows, created, replaced },
      },
    };
  });

async function sampleOf(
  tx: Tx,
  channelId: number,
  changed: readonly { line: number; sku: string; variant_code: string }[],
): Promise<MappingCsvReport['sample']> {
  const shown = changed.toSorted((a, b) => a.line - b.line).slice(0, SAMPLE_ROWS_MAX);
  const stored = await findMappings(
    tx,
    channelId,
    shown.map(({ sku }) => sku),
  );
  const before = new Map(stored.map(({ sku, variant_code }) => [sku, variant_code]));
  return shown.map(({ sku, variant_code }) => ({ sku, variant_code, before: before.get(sku) ?? null }));
}
