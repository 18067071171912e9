// Table roles are explicit: on narrow pages CSS turns rows into cards, which removes the implicit roles.
/* oxlint-disable jsx-a11y/no-redundant-roles */
import { Button, Loader } from '@mantine/core';
import { useState } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { useColumnModel, type DataTableProps, type Own } from './data-table-columns.ts';
import './data-table.css';
import { Head } from './data-table-head.tsx';
import { DataRow } from './data-table-row.tsx';
import { SkeletonRows, VirtualRows } from './data-table-rows.tsx';
import { EmptyState, ErrorState } from './states.tsx';

/** A table wider than its frame scrolls in it. Its heading then cannot stick to the page. */
function markWide(table: HTMLTableElement | null): (() => void) | undefined {
  const frame = table?.parentElement;
  if (!table || !frame) return undefined;
  const observer = new ResizeObserver(() =>
    frame.toggleAttribute('data-wide', table.offsetWidth > frame.clientWidth),
  );
  observer.observe(table);
  observer.observe(frame);
  return () => observer.disconnect();
}

/** A table that looks like a stack of cards on a phone, but remains a table for screen readers at every width. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { list, label } = props;
  const w = useWords(common);
  const model = useColumnModel(props);
  const columns = model.map(({ column }) => column);
  const [anchor, setAnchor] = useState<string | number | null>(null);
  const [current, setCurrent] = useState<string | number | null>(null);
  const rows = list?.rows ?? props.rows;
  const error = list ? list.error : props.error;
  const isLoading = list ? list.isLoading : props.rows === undefined;
  const own: Own<Row> = {
    ...props,
    columns,
    anchor,
    onAnchor: setAnchor,
    current,
    onCurrent: setCurrent,
  };

  if (error && (rows === undefined || rows.length === 0)) {
    const retry = list?.retry ?? props.onRetry;
    return (
      <div className="data-table-frame">
        <ErrorState error={error} {...(retry ? { onRetry: retry } : {})} />
      </div>
    );
  }
  if (!isLoading && rows?.length === 0) {
    return <div className="data-table-frame">{props.empty ?? <EmptyState />}</div>;
  }
  return (
    <div
      className="data-table-frame"
      data-dense={props.dense ?? false}
      data-stale={list?.isStale ?? false}
      aria-busy={isLoading}
    >
      <div className="data-table-scroll">
        <table ref={markWide} className="data-table" role="table" aria-label={label}>
          <Head {...own} model={model} rows={rows ?? []} />
          {isLoading || rows === undefined ? (
            <SkeletonRows columns={columns} isSelectable={props.onSelect !== undefined} />
          ) : props.virtual === true ? (
            <VirtualRows {...own} rows={rows} />
          ) : (
            <tbody role="rowgroup">
              {rows.map((row) => (
                <DataRow key={props.rowKey(row)} {...own} rows={rows} row={row} />
              ))}
            </tbody>
          )}
        </table>
      </div>
      {list && rows && (list.hasMore || props.virtual === true || props.footer !== undefined) ? (
        <div className="data-table-foot">
          <span>{props.footer ?? w.rows(rows.length, list.hasMore)}</span>
          {list.isLoadingMore ? (
            <Loader size="xs" />
          ) : (
            list.hasMore && (
              <Button variant="subtle" size="compact-sm" onClick={list.loadMore}>
                {w.loadMore}
              </Button>
            )
          )}
        </div>
      ) : (
        !list && props.footer !== undefined && <div className="data-table-foot">{props.footer}</div>
      )}
    </div>
  );
}
