import { Text } from '@mantine/core';
import type { StockImport } from '../../api/types.ts';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { useFaultText } from '../mappings/faults.ts';
import { useSigned } from '../stock-item/signed.ts';
import { bulkWords } from './words.ts';

type Fault = StockImport['problems'][number] & { place: number };
type ChangedRow = NonNullable<StockImport['rows']>[number];

const ROWS_SHOWN_MAX = 200;

const deltaOf = ({ before, after }: ChangedRow): number => after - (before ?? 0);

interface ReportProps {
  report: StockImport;
  /** Lines in front of what was pasted. */
  linesAdded: number;
  isCount: boolean;
}

/** What a list would do, or what is wrong with it. */
export function BulkReport({ report, linesAdded, isCount }: ReportProps) {
  const w = useWords(bulkWords);
  const rows = report.rows ?? [];
  const changed = rows.filter(({ before, after }) => before !== after);
  const deltas = changed.map(deltaOf);
  const sum = (list: number[]): number => list.reduce((total, n) => total + n, 0);
  const counts: [string, number][] = [
    [w.rows, rows.length + report.problem_count],
    [w.changed, changed.length],
    [w.isNew, rows.filter(({ before }) => before === null).length],
    [w.added, sum(deltas.filter((delta) => delta > 0))],
    [w.removed, -sum(deltas.filter((delta) => delta < 0))],
    [w.problems, report.problem_count],
  ];
  return (
    <>
      {report.problems.length > 0 && <Problems report={report} linesAdded={linesAdded} />}
      <dl className="stock-counts">
        {counts.map(([name, n]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Count n={n} />
            </dd>
          </div>
        ))}
      </dl>
      {changed.length > 0 && <Changes rows={changed} isCount={isCount} />}
    </>
  );
}

function Problems({ report, linesAdded }: Omit<ReportProps, 'isCount'>) {
  const w = useWords(bulkWords);
  const format = useFormat();
  const faultText = useFaultText();
  const columns: Column<Fault>[] = [
    {
      key: 'line',
      header: w.line,
      primary: true,
      width: 90,
      cell: ({ line }) => <Count n={Math.max(1, line - linesAdded)} />,
    },
    {
      key: 'problem',
      header: w.problem,
      cell: ({ text, ...fault }) => faultText({ ...fault, message: text }),
    },
  ];
  const shown = report.problems.length;
  return (
    <div>
      {shown < report.problem_count && (
        <Text size="sm" mb={4}>
          {w.firstProblems(format.integer(shown), format.integer(report.problem_count))}
        </Text>
      )}
      {/* Focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="stock-scroll" tabIndex={0} role="region" aria-label={w.problems}>
        <DataTable
          label={w.problems}
          columns={columns}
          rows={report.problems.map((problem, place) => ({ ...problem, place }))}
          rowKey={({ place }) => place}
        />
      </div>
    </div>
  );
}

function Changes({ rows, isCount }: { rows: ChangedRow[]; isCount: boolean }) {
  const w = useWords(bulkWords);
  const c = useWords(common);
  const format = useFormat();
  const signed = useSigned();
  const shown = rows
    .toSorted((a, b) => Math.abs(deltaOf(b)) - Math.abs(deltaOf(a)) || a.line - b.line)
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
  ];
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {w.changes}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="stock-scroll" tabIndex={0} role="region" aria-label={w.changes}>
        <DataTable label={w.changes} columns={columns} rows={shown} rowKey={({ line }) => line} />
      </div>
      {rows.length > shown.length && (
        <Text size="sm" c="dimmed">
          {w.moreChanges(format.integer(rows.length - shown.length))}
        </Text>
      )}
    </div>
  );
}
