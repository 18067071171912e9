import { Button } from '@mantine/core';
import { RotateCw, ShoppingCart } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useList } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { OrderRow } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  Page,
  useUnsavedWarning,
  useUrlState,
  NoMatch,
} from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { useColumns } from './columns.tsx';
import { Filters, NO_FILTER, statusesOf } from './filters.tsx';
import { KeptFailures } from './kept-failures.tsx';
import { MOVED_MAX } from './limits.ts';
import { ListButton } from './list-button.tsx';
import { isFinal, type Move } from './moves.ts';
import './orders.css';
import type { OrderResult } from './results.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { Drafts, SetDraft } from './ship-table.tsx';
import { SelectMore } from './together.tsx';
import { words } from './words.ts';

export default function Orders() {
  const w = useWords(words);
  const canMoveOrders = useCan('operator');
  const columns = useColumns();
  const [url, setUrl] = useUrlState(NO_FILTER);
  const list = useList('/orders', { ...url, status: statusesOf(url.status) });
  const isFiltered = Object.values(url).some((value) => value !== '');
  const [selected, setSelected] = useSelection(JSON.stringify(url), list.rows);
  const [move, setMove] = useState<Move | null>(null);
  const [drafts, setDrafts] = useState<Drafts>({});
  const setDraft: SetDraft = useCallback((id, change) => {
    setDrafts((now) => ({ ...now, [id]: { ...now[id], ...change } }));
  }, []);
  useUnsavedWarning(selected.some(({ id }) => (drafts[id]?.tracking_number ?? '') !== ''));

  /** Done ones leave the selection, with what was typed for them. */
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
          <Button variant="default" leftSection={<RotateCw size={15} aria-hidden />} onClick={list.retry}>
            {w.refresh}
          </Button>
        </>
      }
    >
      <KeptFailures />
      <Filters url={url} isFiltered={isFiltered} onChange={setUrl} />
      {canMoveOrders && (
        <SelectionBar
          orders={selected}
          onMove={setMove}
          onKeepFirst={() => setSelected(selected.slice(0, MOVED_MAX))}
          onDropFinal={() => setSelected(selected.filter(({ status }) => !isFinal(status)))}
          onClear={() => setSelected([])}
        />
      )}
      <SelectMore
        value={(orders) =>
          setSelected([...new Map([...selected, ...orders].map((one) => [one.id, one])).values()])
        }
      >
        <DataTable
          virtual
          label={w.title}
          columns={columns}
          rowKey={({ id }) => id}
          list={list}
          {...(canMoveOrders ? selection : {})}
          empty={
            isFiltered ? (
              <NoMatch onReset={() => setUrl(NO_FILTER)} />
            ) : (
              <EmptyState
                icon={<ShoppingCart size={28} strokeWidth={1.5} aria-hidden />}
                title={w.empty}
                text={w.emptyText}
              />
            )
          }
        />
      </SelectMore>
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

/**
 * The selected orders, as the list shows them now; one that has left the list keeps what was known of it.
 * Another search begins with none: what is out of sight is not moved by accident.
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
