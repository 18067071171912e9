// Parts of all import reports: figures, rows with problems, and tables with their own scroll area.
import { Alert, Button, Group, Text } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/error.ts';
import { Count, DataTable, type Column } from './index.ts';
import { useFormat } from '../i18n/format.ts';
import { useWords } from '../i18n/words.ts';
import { useFaultText, type RowFault } from './row-faults.ts';
import './file-report.css';
import { reportWords } from './file-report-words.ts';

/** The report of the check, or of a refused import, which contains it. `failure`: any other error of the import. */
export function reportOf<Report>(check: { data: Report | undefined }, { error }: { error: Error | null }) {
  const refused = error instanceof ApiError ? (error.body as { data?: Report } | null)?.data : undefined;
  return { report: refused ?? check.data ?? null, failure: refused === undefined ? error : null };
}

export function Verdict({ isBad, text }: { isBad: boolean; text: string }) {
  const Icon = isBad ? TriangleAlert : CircleCheck;
  return (
    <Alert color={isBad ? 'red' : 'water'} icon={<Icon size={18} aria-hidden />} p="sm" role="status">
      {text}
    </Alert>
  );
}

export function Counts({ counts }: { counts: readonly [name: string, n: number][] }) {
  return (
    <dl className="file-counts">
      {counts.map(([name, n]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Count n={n} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Focusable, so that it can be scrolled by keyboard. */
export const ScrollRegion = ({ label, children }: { label: string; children: ReactNode }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className="file-scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);

/** Codes of problems that the imports accept with `as_written`. */
const DOUBTS: ReadonlySet<string> = new Set(['spreadsheet_value', 'digits_lost']);

interface AsWrittenProps {
  faults: readonly { code: string }[];
  isChecking: boolean;
  /** Checks again, with `as_written`. */
  onTake: () => void;
}

/** Shown if values only look like mistakes: the operator may say that they are right. */
export function AsWritten({ faults, isChecking, onTake }: AsWrittenProps) {
  const w = useWords(reportWords);
  if (!faults.some(({ code }) => DOUBTS.has(code))) return null;
  return (
    <Group gap="sm">
      <Text size="sm">{w.asWrittenText}</Text>
      <Button variant="default" size="xs" loading={isChecking} onClick={onTake}>
        {w.asWritten}
      </Button>
    </Group>
  );
}

type Fault = RowFault & { line: number; place: number };

interface FaultsProps {
  faults: readonly (RowFault & { line: number })[];
  /** Total number; only the first faults are listed. */
  count: number;
  /** Number of lines added before the pasted text. */
  linesAdded?: number;
}

export function Faults({ faults, count, linesAdded = 0 }: FaultsProps) {
  const w = useWords(reportWords);
  const format = useFormat();
  const faultText = useFaultText(linesAdded);
  const columns: Column<Fault>[] = [
    {
      key: 'line',
      header: w.line,
      primary: true,
      width: 90,
      cell: ({ line }) => <Count n={Math.max(1, line - linesAdded)} />,
    },
    {
      key: 'column',
      header: w.column,
      cell: ({ column }) => column && <span className="mono">{column}</span>,
    },
    { key: 'problem', header: w.problem, cell: (fault) => faultText(fault) },
  ];
  return (
    <div>
      {faults.length < count && (
        <Text size="sm" mb={4}>
          {w.first(format.integer(faults.length), format.integer(count))}
        </Text>
      )}
      <ScrollRegion label={w.problems}>
        <DataTable
          label={w.problems}
          columns={columns}
          rows={faults.map((fault, place) => ({ ...fault, place }))}
          rowKey={({ place }) => place}
        />
      </ScrollRegion>
    </div>
  );
}
