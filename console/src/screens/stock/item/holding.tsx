import { Badge, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useList } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path } from '../../../api/request.ts';
import type { HoldingOrder } from '../../../api/types.ts';
import {
  Count,
  DataTable,
  EmptyState,
  OrderLink,
  StatusBadge,
  Time,
  type Column,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

const PAGE_ORDERS = 20;

/** Open orders, newest first. */
export function Holding({ code }: { code: string }) {
  const w = useWords(words);
  const c = useWords(common);
  const list = useList(
    apiPath('/stock/{variant_code}/orders', { variant_code: code }),
    {},
    { limit: PAGE_ORDERS },
  );
  const columns: Column<HoldingOrder>[] = [
    {
      key: 'order',
      header: c.order,
      primary: true,
      cell: (row) => <OrderLink id={row.id} number={row.order_number} />,
    },
    {
      key: 'channel',
      header: c.channel,
      cell: (row) => <Link to={path`/channels/${row.channel_id}`}>{row.channel_name}</Link>,
    },
    { key: 'status', header: c.status, cell: (row) => <StatusBadge status={row.status} /> },
    {
      key: 'kind',
      header: w.kind,
      cell: (row) => (row.is_backorder ? <Badge color="orange">{c.backorder}</Badge> : w.normal),
    },
    { key: 'quantity', header: c.quantity, align: 'right', cell: (row) => <Count n={row.quantity} /> },
    {
      key: 'drawn',
      header: w.fromAllocation,
      align: 'right',
      cell: (row) => <Count n={row.from_allocation} />,
    },
    { key: 'at', header: c.created, align: 'right', cell: (row) => <Time at={row.created_at} relative /> },
  ];
  return (
    <section aria-labelledby="holding">
      <Title order={2} id="holding" mb="xs">
        {w.holding}
      </Title>
      <DataTable
        label={w.holding}
        columns={columns}
        rowKey={(row) => row.id}
        list={list}
        empty={<EmptyState title={w.noHolding} />}
      />
    </section>
  );
}
