import { Text } from '@mantine/core';
import type { MappingImport } from '../../api/types.ts';
import { DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Counts, Faults, ScrollRegion } from '../../components/file-report.tsx';
import { importWords } from './words.ts';

type Sample = MappingImport['sample'][number];

/** The effect of a file, or its problems. */
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
      <Counts counts={counts} />
      {report.errors.length > 0 && <Faults faults={report.errors} count={report.error_count} />}
      {report.error_count === 0 && report.sample.length > 0 && <SampleTable report={report} />}
    </>
  );
}

function SampleTable({ report }: { report: MappingImport }) {
  const w = useWords(importWords);
  const c = useWords(common);
  const format = useFormat();
  const isAll = report.sample.length === report.created + report.replaced;
  const title = isAll ? w.sampleAll : w.sample(format.integer(report.sample.length));
  const columns: Column<Sample>[] = [
    { key: 'sku', header: c.sku, primary: true, cell: ({ sku }) => <span className="mono">{sku}</span> },
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
      <ScrollRegion label={title}>
        <DataTable label={title} columns={columns} rows={report.sample} rowKey={({ sku }) => sku} />
      </ScrollRegion>
    </div>
  );
}
