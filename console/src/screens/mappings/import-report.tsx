import { Text } from '@mantine/core';
import type { MappingImport } from '../../api/types.ts';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { useFaultText } from './faults.ts';
import { importWords } from './words.ts';

type Fault = MappingImport['errors'][number] & { place: number };
type Sample = MappingImport['sample'][number];

/** What a file would do, or what is wrong with it. */
export function ImportReport({ report }: { report: MappingImport }) {
  const w = useWords(importWords);
  const counts: [string, number][] = [
    [w.rows, report.rows],
    [w.created, report.created],
    [w.replaced, report.replaced],
    [w.unchanged, report.unchanged],
    [w.errors, report.error_count],
  ];
  return (
    <>
      <dl className="mappings-counts">
        {counts.map(([name, n]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Count n={n} />
            </dd>
          </div>
        ))}
      </dl>
      {report.errors.length > 0 && <Faults report={report} />}
      {report.error_count === 0 && report.sample.length > 0 && <SampleTable report={report} />}
    </>
  );
}

function Faults({ report }: { report: MappingImport }) {
  const w = useWords(importWords);
  const format = useFormat();
  const faultText = useFaultText();
  const columns: Column<Fault>[] = [
    { key: 'line', header: w.line, primary: true, width: 70, cell: ({ line }) => <Count n={line} /> },
    {
      key: 'column',
      header: w.column,
      cell: ({ column }) => column && <span className="mono">{column}</span>,
    },
    { key: 'problem', header: w.problem, cell: (fault) => faultText(fault) },
  ];
  const shown = report.errors.length;
  return (
    <div>
      {shown < report.error_count && (
        <Text size="sm" mb={4}>
          {w.firstErrors(format.integer(shown), format.integer(report.error_count))}
        </Text>
      )}
      {/* Focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="mappings-scroll" tabIndex={0} role="region" aria-label={w.errors}>
        <DataTable
          label={w.errors}
          columns={columns}
          rows={report.errors.map((error, place) => ({ ...error, place }))}
          rowKey={({ place }) => place}
        />
      </div>
    </div>
  );
}

function SampleTable({ report }: { report: MappingImport }) {
  const w = useWords(importWords);
  const format = useFormat();
  const isAll = report.sample.length === report.created + report.replaced;
  const title = isAll ? w.sampleAll : w.sample(format.integer(report.sample.length));
  const columns: Column<Sample>[] = [
    { key: 'sku', header: w.sku, primary: true, cell: ({ sku }) => <span className="mono">{sku}</span> },
    {
      key: 'before',
      header: w.before,
      cell: ({ before }) =>
        before === null ? (
          <Text span size="sm" c="dimmed">
            {w.isNew}
          </Text>
        ) : (
          <span className="mono">{before}</span>
        ),
    },
    {
      key: 'after',
      header: w.after,
      cell: ({ variant_code }) => <span className="mono">{variant_code}</span>,
    },
  ];
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="mappings-scroll" tabIndex={0} role="region" aria-label={title}>
        <DataTable label={title} columns={columns} rows={report.sample} rowKey={({ sku }) => sku} />
      </div>
    </div>
  );
}
