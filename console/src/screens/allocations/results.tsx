import { Alert, Badge } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { AllocationResult } from '../../api/types.ts';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { terms } from '../../components/stock-terms.ts';
import { words } from './words.ts';

const ROWS_SHOWN_MAX = 500;

interface ResultsProps {
  results: readonly AllocationResult[];
  nameOf: (channelId: number) => string;
}

/** The effect of all changes, from a dry run of the service; overcommitted items come first. */
export function Results({ results, nameOf }: ResultsProps) {
  const w = useWords(words);
  const t = useWords(terms);
  const c = useWords(common);
  const format = useFormat();
  const items = new Set(
    results.filter(({ overcommitted_by }) => overcommitted_by > 0).map(({ variant_code }) => variant_code),
  );
  const shown = results.toSorted((a, b) => b.overcommitted_by - a.overcommitted_by).slice(0, ROWS_SHOWN_MAX);
  const columns: Column<AllocationResult>[] = [
    {
      key: 'item',
      header: c.variant,
      primary: true,
      cell: (row) => <span className="mono">{row.variant_code}</span>,
    },
    { key: 'channel', header: c.channel, cell: (row) => nameOf(row.channel_id) },
    {
      key: 'allocated',
      header: w.allocated,
      align: 'right',
      cell: (row) => <Count n={row.allocated_qty} />,
    },
    {
      key: 'quota',
      header: w.quota,
      align: 'right',
      cell: (row) => (row.reserve_quota === 0 ? w.noLimit : <Count n={row.reserve_quota} />),
    },
    {
      key: 'available',
      header: w.available,
      align: 'right',
      cell: (row) => (
        <b>
          <Count n={row.available} />
        </b>
      ),
    },
    {
      key: 'over',
      header: w.overcommittedHead,
      cell: (row) =>
        row.overcommitted_by > 0 && (
          <Badge color="orange">{t.overcommittedBy(format.integer(row.overcommitted_by))}</Badge>
        ),
    },
  ];
  return (
    <>
      {items.size > 0 && (
        <Alert color="orange" role="alert" p="sm" icon={<TriangleAlert size={18} aria-hidden />}>
          <b>{w.warnings(items.size)}</b> {w.overcommitText}
        </Alert>
      )}
      {/* Focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="allocations-results" tabIndex={0} role="region" aria-label={w.results}>
        <DataTable
          label={w.results}
          columns={columns}
          rows={shown}
          rowKey={(row) => `${row.channel_id} ${row.variant_code}`}
        />
      </div>
    </>
  );
}
