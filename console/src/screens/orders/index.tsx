import { Button } from '@mantine/core';
import { RotateCw, ShoppingCart } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { STATUS_CHANGES_MAX } from '../../../../src/core/rules/order-limits.ts';
import { useGet, useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { OrderRow } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  Money,
  Page,
  useNarrow,
  useUnsavedWarning,
  useUrlState,
  NoMatch,
} from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { useColumns } from './columns.tsx';
import { Filters, NO_FILTER, queryOf, type Filter } from './filters.tsx';
import { KeptFailures } from './kept-failures.tsx';
import { useKept } from './kept.ts';
import { ListButton } from './list-button.tsx';
import { ColumnMenu, ExportMenu, ViewMenu } from './list-menus.tsx';
import { isFinal, type Move } from './moves.ts';
import { NewOrders } from './new-orders.tsx';
import './orders.css';
import type { OrderResult } from './results.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { Drafts, SetDraft } from './ship-table.tsx';
import { SelectMore } from './together.tsx';
import { words } from './words.ts';

export default function Orders() {
  const w = useWords(words);
  const canMoveOrders = useCan('operator');
  const [url, setUrl] = useUrlState<Filter>(NO_FILTER);
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const [hidden, setHidden] = useKept<string[]>('hidden', []);
  const list = useList('/orders', { ...queryOf(url), sort: url.sort });
  const columns = useColumns(list.rows);
  const isFiltered = Object.entries(url).some(([name, value]) => name !== 'sort' && value !== '');
  const [selected, setSelected] = useSelection(JSON.stringify(url), list.rows);
  const [move, setMove] = useState<Move | null>(null);
  const [drafts, setDrafts] = useState<Drafts>({});
  const setDraft: SetDraft = useCallback((id, change) => {
    setDrafts((now) => ({ ...now, [id]: { ...now[id], ...change } }));
  }, []);
  useUnsavedWarning(selected.some(({ id }) => (drafts[id]?.tracking_number ?? '') !== ''));

  /** Successful orders leave the selection, and their input is discarded. */
  const settle = (results: readonly OrderResult[]) => {
    const failed = results.filter(({ result }) => !result.ok);
    setSelected(failed.map(({ order, result }) => ({ ...order, status: result.status ?? order.status })));
    setDrafts((now) => Object.fromEntries(failed.map(({ order: { id } }) => [id, now[id] ?? {}])));
  };
  const known = new Map([...selected, ...list.rows].map((row) => [row.id, row]));
  const keys = new Set<string | number>(selected.map(({ id }) => id));
  const selection = {
    selected: keys,
    rowName: (row: OrderRow) => row.order_number,
    // An order that another user shipped or cancelled can still be deselected.
    canSelect: (row: OrderRow) => !isFinal(row.status) || keys.has(row.id),
    onSelect: (next: Set<string | number>) =>
      setSelected([...next].flatMap((id) => known.get(Number(id)) ?? [])),
  };
  return (
    <Page
      title={w.title}
      description={w.description}
      actions={
        <>
          {canMoveOrders && <ListButton />}
          <ViewMenu url={url} onChange={setUrl} />
          {!isNarrow && <ColumnMenu columns={columns} hidden={hidden} onChange={setHidden} />}
          <ExportMenu url={url} />
          <Button variant="default" leftSection={<RotateCw size={15} aria-hidden />} onClick={list.retry}>
            {w.refresh}
          </Button>
        </>
      }
    >
      <KeptFailures />
      <Filters url={url} isFiltered={isFiltered} onChange={setUrl} />
      <div className="orders-summary">
        <Totals url={url} />
        {url.sort === '' && <NewOrders url={url} list={list} />}
      </div>
      <SelectMore
        value={(orders) =>
          setSelected([...new Map([...selected, ...orders].map((one) => [one.id, one])).values()])
        }
      >
        <DataTable
          virtual
          dense
          label={w.title}
          hidden={hidden}
          sort={url.sort === '' ? '-created_at' : url.sort}
          onSort={(sort) => setUrl({ sort: sort === '-created_at' ? '' : sort })}
          onOpen={({ id }) => void navigate(path`/orders/${id}`)}
          columns={columns}
          rowKey={({ id }) => id}
          list={list}
          {...(canMoveOrders ? selection : {})}
          empty={
            isFiltered ? (
              <NoMatch onReset={() => setUrl(NO_FILTER)} />
            ) : (
              <EmptyState icon={ShoppingCart} title={w.empty} text={w.emptyText} />
            )
          }
        />
      </SelectMore>
      {canMoveOrders && selected.length > 0 && (
        <SelectionBar
          orders={selected}
          onMove={setMove}
          onKeepFirst={() => setSelected(selected.slice(0, STATUS_CHANGES_MAX))}
          onDropFinal={() => setSelected(selected.filter(({ status }) => !isFinal(status)))}
          onClear={() => setSelected([])}
        />
      )}
      {move !== null && (
        <BulkDialog
          move={move}
          orders={selected}
          drafts={drafts}
          onDraft={setDraft}
          onResults={settle}
          onClose={() => setMove(null)}
        />
      )}
    </Page>
  );
}

/** Number and total amount of the orders that match the filter. */
function Totals({ url }: { url: Filter }) {
  const w = useWords(words);
  const format = useFormat();
  const { data } = useGet('/orders/totals', queryOf(url), { keep: true });
  if (!data) return <p className="orders-totals" />;
  return (
    <p className="orders-totals">
      {w.totals(format.integer(data.count), data.is_complete, data.count === 1)} ·{' '}
      <Money amount={data.total_amount} />
      {!data.is_complete && '+'}
    </p>
  );
}

/**
 * The selected orders with their current data from the list; an order that has left the list keeps its last known data.
 * A new search clears the selection, so that orders out of sight are not changed by accident.
 */
function useSelection(
  searched: string,
  rows: readonly OrderRow[],
): [OrderRow[], (selected: readonly OrderRow[]) => void] {
  const [kept, setKept] = useState<{ searched: string; orders: readonly OrderRow[] }>({
    searched,
    orders: [],
  });
  const selected = useMemo(() => {
    if (kept.searched !== searched || kept.orders.length === 0) return [];
    const shown = new Map(rows.map((row) => [row.id, row]));
    return kept.orders.map((order) => shown.get(order.id) ?? order);
  }, [kept, searched, rows]);
  return [selected, (orders) => setKept({ searched, orders })];
}
