import { Alert, Badge, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { StockImport } from '../../api/types.ts';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { words as allocationWords } from '../allocations/words.ts';
import { Counts, Faults, ScrollRegion } from '../../components/file-report.tsx';
import { useSigned } from './item/signed.ts';
import { overcommitting, type ChangedRow } from './bulk-overcommitting.tsx';
import { terms } from '../../components/stock-terms.ts';
import { bulkWords } from './words.ts';

const ROWS_SHOWN_MAX = 200;

const deltaOf = ({ before, after }: ChangedRow): number => after - (before ?? 0);

interface ReportProps {
  report: StockImport;
  /** Number of lines added before the pasted text. */
  linesAdded: number;
  isCount: boolean;
}

/** The effect of a list, or its problems. */
export function BulkReport({ report, linesAdded, isCount }: ReportProps) {
  const w = useWords(bulkWords);
  const a = useWords(allocationWords);
  const rows = report.rows ?? [];
  const changed = rows.filter(({ before, after }) => before !== after);
  const deltas = changed.map(deltaOf);
  const over = overcommitting(rows).length;
  const sum = (list: number[]): number => list.reduce((total, n) => total + n, 0);
  const counts: [string, number][] = [
    [w.rows, rows.length + report.problem_count],
    [w.changed, changed.length],
    [w.isNew, rows.filter(({ before }) => before === null).length],
    [w.added, sum(deltas.filter((delta) => delta > 0))],
    [w.removed, sum(deltas.filter((delta) => delta < 0).map((delta) => -delta))],
    [w.problems, report.problem_count],
  ];
  return (
    <>
      {report.problems.length > 0 && (
        <Faults
          faults={report.problems.map((problem) => ({ ...problem, message: problem.text }))}
          count={report.problem_count}
          linesAdded={linesAdded}
        />
      )}
      <Counts counts={counts} />
      {over > 0 && (
        <Alert color="orange" role="alert" p="sm" icon={<TriangleAlert size={18} aria-hidden />}>
          <b>{a.warnings(over)}</b> {w.overText}
        </Alert>
      )}
      {changed.length > 0 && <Changes rows={changed} isCount={isCount} />}
    </>
  );
}

function Changes({ rows, isCount }: { rows: ChangedRow[]; isCount: boolean }) {
  const w = useWords(bulkWords);
  const a = useWords(allocationWords);
  const t = useWords(terms);
  const c = useWords(common);
  const format = useFormat();
  const signed = useSigned();
  const over = new Set(overcommitting(rows));
  const shown = rows
    .toSorted(
      (one, other) =>
        Number(over.has(other)) - Number(over.has(one)) ||
        Math.abs(deltaOf(other)) - Math.abs(deltaOf(one)) ||
        one.line - other.line,
    )
    .slice(0, ROWS_SHOWN_MAX);
  const isSince = isCount && rows.some(({ moved_since }) => moved_since !== 0);
  const columns: Column<ChangedRow>[] = [
    {
      key: 'item',
      header: c.variant,
      primary: true,
      cell: ({ variant_code }) => <span className="mono">{variant_code}</span>,
    },
    {
      key: 'before',
      header: w.before,
      align: 'right',
      cell: ({ before }) => (before === null ? w.newRecord : <Count n={before} />),
    },
    ...(isSince
      ? [
          {
            key: 'since',
            header: w.since,
            align: 'right' as const,
            cell: ({ moved_since }: ChangedRow) => <span className="num">{signed(moved_since)}</span>,
          },
        ]
      : []),
    {
      key: 'after',
      header: w.after,
      align: 'right',
      cell: ({ after }) => (
        <b>
          <Count n={after} />
        </b>
      ),
    },
    {
      key: 'change',
      header: w.change,
      align: 'right',
      cell: (row) => <span className="num">{signed(deltaOf(row))}</span>,
    },
    ...(over.size === 0
      ? []
      : [
          {
            key: 'over',
            header: a.overcommittedHead,
            cell: (row: ChangedRow) =>
              over.has(row) && (
                <Badge color="orange">{t.overcommittedBy(format.integer(row.overcommitted_by))}</Badge>
              ),
          },
        ]),
  ];
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {w.changes}
      </Text>
      <ScrollRegion label={w.changes}>
        <DataTable label={w.changes} columns={columns} rows={shown} rowKey={({ line }) => line} />
      </ScrollRegion>
      {rows.length > shown.length && (
        <Text size="sm" c="dimmed">
          {w.moreChanges(format.integer(rows.length - shown.length))}
        </Text>
      )}
    </div>
  );
}
