// What the reports of all imports show: figures, the rows with problems, and tables that scroll by themselves.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { useFaultText, type RowFault } from './faults.ts';
import './file-report.css';
import { reportWords } from './words.ts';

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

type Fault = RowFault & { line: number; place: number };

interface FaultsProps {
  faults: readonly (RowFault & { line: number })[];
  /** Of which the first are listed. */
  count: number;
  /** Lines in front of what was pasted. */
  linesAdded?: number;
}

export function Faults({ faults, count, linesAdded = 0 }: FaultsProps) {
  const w = useWords(reportWords);
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
