// Imports pre-allocations and backorder quotas of many items and channels from a CSV text: all rows or none.
import type { Tx } from '../../platform/database/database.ts';
import type { StockLevel } from '../stock/store.ts';
import { ALLOCATION_CHANGES_MAX, setAllocations } from './changes.ts';
import type { Actor } from '../../platform/audit/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { parseCsvText, type CsvRow } from '../../platform/csv/csv.ts';
import { RowReader } from '../../platform/csv/fields.ts';
import { Problems, type CsvFact, type Problem } from '../../platform/csv/problems.ts';

const PROBLEMS_SHOWN_MAX = 200;
const SHAPE = { required: ['channel_id', 'variant_code', 'allocated_qty', 'reserve_quota'], optional: [] };

interface AllocationRow {
  line: number;
  channel_id: number;
  variant_code: string;
  allocated_qty: number;
  reserve_quota: number;
}

export interface AllocationCsv {
  list: AllocationRow[];
  problems: Problems;
}

interface AllocationCsvReport {
  /** Rows written, or in a dry run: rows that would be written. 0 if there is a problem. */
  count: number;
  problems: Problem[];
  problem_count: number;
  /** In the order of the file; empty if there is a problem. */
  rows: readonly (AllocationRow & { level: StockLevel })[];
}

export async function readAllocationCsv(csv: string, takesDoubtful = false): Promise<AllocationCsv> {
  const list: AllocationRow[] = [];
  const problems = new Problems({ takesDoubtful });
  await parseCsvText(csv, SHAPE, ALLOCATION_CHANGES_MAX, problems, (row) => {
    const read = readRow(row, problems);
    if (read) list.push(read);
  });
  return { list, problems };
}

function readRow(row: CsvRow, problems: Problems): AllocationRow | null {
  const reader = new RowReader(row, problems);
  const found = {
    line: row.line,
    channel_id: reader.quantity('channel_id'),
    variant_code: reader.text('variant_code', CODE_CHARACTERS_MAX),
    allocated_qty: reader.quantity('allocated_qty'),
    reserve_quota: reader.quantity('reserve_quota'),
  };
  return reader.ok ? found : null;
}

/** The caller rolls back a dry run. */
export async function importAllocationCsv(
  tx: Tx,
  by: Actor,
  { list, problems: known }: AllocationCsv,
): Promise<Done<{ report: AllocationCsvReport }>> {
  const problems = new Problems(known);
  const outcome = list.length === 0 ? null : await setAllocations(tx, by, list);
  if (outcome?.kind === 'allocations_refused')
    for (const { position, code } of outcome.problems) {
      const row = list[position];
      if (row) problems.add(row.line, factOf(code, row, list));
    }
  const rows =
    outcome?.kind === 'done' && problems.count === 0
      ? list.flatMap((row) => {
          const level = outcome.levels.get(row.variant_code);
          return level ? [{ ...row, level }] : [];
        })
      : [];
  return {
    kind: 'done',
    ...(problems.count > 0 ? { is_kept: false } : {}),
    report: {
      count: rows.length,
      problems: problems.first(PROBLEMS_SHOWN_MAX),
      problem_count: problems.count,
      rows,
    },
  };
}

type Code =
  | 'channel_unknown'
  | 'channel_archived'
  | 'variant_unknown'
  | 'variant_archived'
  | 'stock_missing'
  | 'allocation_changed'
  | 'repeated';

function factOf(code: Code, row: AllocationRow, list: readonly AllocationRow[]): CsvFact {
  const { channel_id, variant_code } = row;
  if (code === 'repeated') {
    const first = list.find((one) => one.channel_id === channel_id && one.variant_code === variant_code);
    return { kind: 'allocation_repeated', channel_id, variant_code, first_line: first?.line ?? row.line };
  }
  if (code === 'channel_unknown' || code === 'channel_archived') return { kind: code, channel_id };
  if (code === 'stock_missing') return { kind: code, variant_code };
  if (code === 'variant_unknown' || code === 'variant_archived') return { kind: code, variant_code };
  throw new RangeError(`a row without expectations was refused as ${code}`);
}
