import { Button, Group, Title } from '@mantine/core';
import { Link } from 'react-router';
import { path } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { StockChannel, StockDetail } from '../../../api/types.ts';
import { Count, DataTable, EmptyState, type Column } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { terms } from '../../../components/stock-terms.ts';
import { words } from './words.ts';

const SKUS_SHOWN = 3;

export function Channels({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const t = useWords(terms);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const columns: Column<StockChannel>[] = [
    {
      key: 'name',
      header: c.channel,
      primary: true,
      cell: (row) => <Link to={path`/channels/${row.channel_id}`}>{row.name}</Link>,
    },
    { key: 'skus', header: w.skus, cell: (row) => <Skus all={item.skus} channelId={row.channel_id} /> },
    {
      key: 'allocation',
      header: t.allocation,
      align: 'right',
      cell: (row) => <Count n={row.allocated_qty} />,
    },
    {
      key: 'available',
      header: t.available,
      align: 'right',
      cell: (row) => (
        <strong>
          <Count n={row.available} />
        </strong>
      ),
    },
    {
      key: 'backordered',
      header: t.backordered,
      align: 'right',
      cell: (row) => <Count n={row.backordered_qty} />,
    },
    {
      key: 'quota',
      header: t.quota,
      align: 'right',
      cell: (row) => (row.reserve_quota === 0 ? t.noLimit : <Count n={row.reserve_quota} />),
    },
    {
      key: 'left',
      header: t.quotaLeft,
      align: 'right',
      cell: (row) => (row.reserve_quota === 0 ? t.noLimit : <Count n={row.reserve_remaining} />),
    },
  ];
  return (
    <section aria-labelledby="channels">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="channels">
          {w.channels}
        </Title>
        {canEdit && (
          <Button
            component={Link}
            to={`/allocations?${new URLSearchParams({ search: item.variant_code }).toString()}`}
            variant="default"
            size="xs"
          >
            {w.editAllocations}
          </Button>
        )}
      </Group>
      <DataTable
        label={w.channels}
        columns={columns}
        rows={item.channels}
        rowKey={(row) => row.channel_id}
        empty={<EmptyState title={w.noChannels} text={w.noChannelsText} />}
      />
    </section>
  );
}

function Skus({ all, channelId }: { all: StockDetail['skus']; channelId: number }) {
  const w = useWords(words);
  const own = all.filter(({ channel_id }) => channel_id === channelId).map(({ sku }) => sku);
  if (own.length === 0) return <span className="stock-item-none">{w.notMapped}</span>;
  const more = own.length - SKUS_SHOWN;
  return (
    <span>
      <span className="mono stock-item-skus">{own.slice(0, SKUS_SHOWN).join(', ')}</span>
      {more > 0 && ` ${w.moreSkus(more)}`}
    </span>
  );
}
