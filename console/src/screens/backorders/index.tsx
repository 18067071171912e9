import { Badge, Switch, Tabs } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { useList } from '../../api/query.ts';
import type { Backorder, BackorderedItem } from '../../api/types.ts';
import {
  Count,
  DataTable,
  EmptyState,
  ItemLink,
  NoMatch,
  OrderLink,
  Page,
  SearchInput,
  StatusBadge,
  Time,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { ChannelChoice } from '../../components/choice.tsx';
import { words } from './words.ts';

const ORDERS = 'orders';
const ITEMS = 'items';
const REFRESH_MS = 15_000;
const NO_FILTER = { channel_id: '', search: '', can_ship: '' };

export default function Backorders() {
  const w = useWords(words);
  const [url, setUrl] = useUrlState({ tab: ORDERS });
  const tab = url.tab === ITEMS ? ITEMS : ORDERS;
  return (
    <Page title={w.title} description={w.description}>
      <Tabs value={tab} keepMounted={false} onChange={(value) => setUrl({ tab: value ?? ORDERS })}>
        <Tabs.List mb="md">
          <Tabs.Tab value={ORDERS}>{w.tabOrders}</Tabs.Tab>
          <Tabs.Tab value={ITEMS}>{w.tabItems}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={ORDERS}>
          <ByOrder />
        </Tabs.Panel>
        <Tabs.Panel value={ITEMS}>
          <ByItem />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function ByOrder() {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const list = useList(
    '/backorders',
    {
      channel_id: url.channel_id,
      search: url.search,
      ...(url.can_ship === '' ? {} : { can_ship: true }),
    },
    { everyMs: REFRESH_MS },
  );
  const columns: Column<Backorder>[] = [
    {
      key: 'number',
      header: w.number,
      primary: true,
      cell: ({ id, order_number }) => <OrderLink id={id} number={order_number} />,
    },
    { key: 'channel', header: c.channel, cell: ({ channel_name }) => channel_name },
    { key: 'status', header: c.status, cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'since', header: w.waiting, cell: ({ created_at }) => <Time at={created_at} relative /> },
    { key: 'items', header: c.items, cell: (row) => <Needs order={row} /> },
    { key: 'outlook', header: w.outlook, cell: (row) => <Outlook order={row} /> },
  ];
  return (
    <>
      <div className="filters">
        <SearchInput isLabelled label={w.search} w={240} />
        <ChannelChoice value={url.channel_id} onChange={(channel_id) => setUrl({ channel_id })} />
        <Switch
          label={w.canShipOnly}
          checked={url.can_ship !== ''}
          onChange={({ currentTarget }) => setUrl({ can_ship: currentTarget.checked ? '1' : '' })}
          pb={8}
        />
      </div>
      <DataTable
        label={w.title}
        columns={columns}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Nothing
            isFiltered={Object.values(url).some((value) => value !== '')}
            onReset={() => setUrl(NO_FILTER)}
          />
        }
      />
    </>
  );
}

function Needs({ order }: { order: Backorder }) {
  const w = useWords(words);
  const format = useFormat();
  return (
    <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {order.items.map(({ variant_code, quantity, missing }) => (
        <li key={variant_code}>
          <ItemLink code={variant_code} text={w.piece(format.integer(quantity), variant_code)} />{' '}
          {missing > 0 && <Badge color="yellow">{w.missing(format.integer(missing))}</Badge>}
        </li>
      ))}
    </ul>
  );
}

function Outlook({ order: { can_ship, status } }: { order: Backorder }) {
  const w = useWords(words);
  if (can_ship) return <Badge color="water">{w.canShip}</Badge>;
  return <Badge color="gray">{status === 0 ? w.unpaid : w.waits}</Badge>;
}

function ByItem() {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const list = useList(
    '/backorders/items',
    { channel_id: url.channel_id, search: url.search },
    { everyMs: REFRESH_MS },
  );
  const columns: Column<BackorderedItem>[] = [
    {
      key: 'item',
      header: c.variant,
      primary: true,
      cell: ({ variant_code }) => <ItemLink code={variant_code} />,
    },
    { key: 'product', header: c.product, cell: ({ product_name }) => product_name },
    { key: 'channel', header: c.channel, cell: ({ channel_name }) => channel_name },
    { key: 'orders', header: w.orders, align: 'right', cell: ({ order_count }) => <Count n={order_count} /> },
    { key: 'quantity', header: w.quantity, align: 'right', cell: ({ quantity }) => <Count n={quantity} /> },
    {
      key: 'shippable',
      header: w.shippable,
      align: 'right',
      cell: ({ can_ship_quantity }) => <Count n={can_ship_quantity} />,
    },
    { key: 'free', header: w.free, align: 'right', cell: ({ free }) => <Count n={free} /> },
    { key: 'oldest', header: w.oldest, cell: ({ oldest_at }) => <Time at={oldest_at} relative /> },
  ];
  return (
    <>
      <div className="filters">
        <SearchInput isLabelled label={w.searchItems} w={240} />
        <ChannelChoice value={url.channel_id} onChange={(channel_id) => setUrl({ channel_id })} />
      </div>
      <DataTable
        label={w.tabItems}
        columns={columns}
        rowKey={({ variant_code, channel_id }) => `${channel_id} ${variant_code}`}
        list={list}
        empty={
          <Nothing
            isFiltered={url.search !== '' || url.channel_id !== ''}
            onReset={() => setUrl(NO_FILTER)}
          />
        }
      />
    </>
  );
}

function Nothing({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  const w = useWords(words);
  if (isFiltered) return <NoMatch onReset={onReset} />;
  return <EmptyState icon={CircleCheck} title={w.empty} text={w.emptyText} />;
}
