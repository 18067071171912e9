// The mappings of a channel as a CSV text from the console: checked, and carried out whole or not at all.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertAudit, type Actor } from '../../store/audit.ts';
import { findChannel } from '../../store/channels.ts';
import { type Tx } from '../../store/database.ts';
import type { Transact } from '../../store/transactions.ts';
import { appendJournal } from '../../store/journal.ts';
import { findMappings } from '../../store/mappings.ts';
import { CsvFault, parseCsv } from './csv.ts';
import { importMappings, type MappingImport } from './mappings.ts';
import { Problems, type Problem } from './problems.ts';

const CSV_ROWS_MAX = 100_000;
const PROBLEMS_SHOWN_MAX = 200;
const SAMPLE_ROWS_MAX = 50;
/** A piece is parsed in a few milliseconds; in between, orders have their turn. */
const PIECE_BYTES = 16_384;

export interface MappingCsvReport {
  /** 0 where the file could not be read to its end. */
  rows: number;
  created: number;
  replaced: number;
  unchanged: number;
  /** The first ones. */
  problems: Problem[];
  problem_count: number;
  applied: boolean;
  /** The first rows that change something; `before` null: a new SKU. */
  sample: { sku: string; variant_code: string; before: string | null }[];
}

interface Parsed {
  rows: number;
  mappings: MappingImport;
  problems: Problems;
}

/** null: there is no such channel. */
export async function importMappingCsv(
  transact: Transact,
  by: Actor,
  channelId: number,
  { csv, dry_run }: { csv: string; dry_run: boolean },
): Promise<MappingCsvReport | null> {
  const parsed = await parse(channelId, csv);
  return transact(async (tx) => {
    if (!(await findChannel(tx, channelId))) return null;
    if (!dry_run) await parsed.mappings.lock(tx);
    return carryOut(tx, by, channelId, parsed, dry_run);
  });
}

async function parse(channelId: number, csv: string): Promise<Parsed> {
  const mappings = importMappings(channelId);
  const problems = new Problems();
  let rows = 0;
  try {
    rows = await parseCsv(pieces(csv), mappings.shape, CSV_ROWS_MAX, problems, (row) =>
      mappings.read(row, problems),
    );
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    problems.add(error.line, error.text, error.column);
  }
  return { rows, mappings, problems };
}

/** A BOM is a blank to the parser, and trimmed like any other. */
async function* pieces(csv: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(csv);
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
    await nextTurn();
  }
}

async function carryOut(
  tx: Tx,
  by: Actor,
  channelId: number,
  { rows, mappings, problems: known }: Parsed,
  dryRun: boolean,
): Promise<MappingCsvReport> {
  const problems = new Problems(known);
  const plan = await mappings.plan(tx, problems, { advance: () => {} });
  const { unchanged } = plan;
  const [created, replaced] = [plan.created.length, plan.replaced.length];
  const report = {
    rows,
    created,
    replaced,
    unchanged,
    problems: problems.first(PROBLEMS_SHOWN_MAX),
    problem_count: problems.count,
    applied: !dryRun && problems.count === 0,
    sample: await sampleOf(tx, channelId, [...plan.created, ...plan.replaced]),
  };
  if (report.applied && plan.changes) {
    await plan.apply(tx);
    await insertAudit(tx, by, {
      action: 'mapping.import',
      subject: `channel:${channelId}`,
      before: null,
      after: { rows, created, replaced },
    });
    const skus = [...plan.created, ...plan.replaced].map(({ sku }) => sku);
    await appendJournal(tx, { channel_ids: [channelId], skus });
  }
  return report;
}

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
