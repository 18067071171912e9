// Items by channels: what each holds for itself, edited in place, with what each may sell before it is saved.
import { Badge, Button, Group, Select, Text } from '@mantine/core';
import { ArrowLeftRight, Download, FileUp, Layers, PaintBucket, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useAll, useList } from '../../api/query.ts';
import { address, path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { AllocationRow, Channel } from '../../api/types.ts';
import {
  confirm,
  DataTable,
  EmptyState,
  ErrorState,
  Loading,
  Page,
  SearchInput,
  useNarrow,
  useUrlState,
  type Column,
  NoMatch,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { terms } from '../stock/terms.ts';
import './allocations.css';
import { Cell } from './cell.tsx';
import { changeOf, editKey, shownChange, type Edit } from './edits.ts';
import { FillDialog } from './fill-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { preview, type Preview } from './preview.ts';
import { ReviewDialog } from './review-dialog.tsx';
import { SaveBar } from './save-bar.tsx';
import { useMatrix } from './use-matrix.ts';
import { words } from './words.ts';

const CsvDialog = lazy(() => import('./csv-dialog.tsx'));

const PAGE_ITEMS = 50;
const NO_EDITS: Edit[] = [];

export default function Allocations() {
  const w = useWords(words);
  const channels = useAll('/channels');
  return (
    <Page title={w.title} description={w.description}>
      {channels.data ? (
        <Matrix channels={channels.data} />
      ) : channels.error ? (
        <ErrorState error={channels.error} onRetry={() => void channels.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Matrix({ channels }: { channels: Channel[] }) {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ search: '', channel: '' });
  const chosen = channels.find(({ id }) => String(id) === url.channel);
  const list = useList('/allocations', { search: url.search, channel_id: chosen?.id }, { limit: PAGE_ITEMS });
  const nameOf = useCallback(
    (id: number) => channels.find((channel) => channel.id === id)?.name ?? String(id),
    [channels],
  );
  const shown = useShownChannels(channels, list.rows, chosen);
  const channelIds = useMemo(() => shown.map(({ id }) => id), [shown]);
  const matrix = useMatrix(nameOf, list.rows, channelIds);
  const previewOf = usePreviews(list.rows, matrix.byItem);
  const isNarrow = useNarrow();
  const [dialog, setDialog] = useState<'fill' | 'csv' | 'review' | null>(null);
  const [moved, setMoved] = useState<string | null>(null);
  const columns = useColumns(shown, matrix, previewOf, canEdit ? setMoved : null);
  const close = () => setDialog(null);
  const rowToMove = list.rows.find(({ variant_code }) => variant_code === moved);

  const inView = new Set(list.rows.map(({ variant_code }) => variant_code));
  const edits = [...matrix.edits.values()];
  const isFiltered = url.search !== '' || chosen !== undefined;
  const discard = async () => {
    const question = {
      title: w.discardTitle,
      text: w.discardText(edits.length),
      confirm: w.discard,
      danger: true,
    };
    if (await confirm(question)) matrix.discard();
  };
  return (
    <>
      <div className="filters">
        <SearchInput isLabelled label={c.search} placeholder={w.searchHint} w={320} maw="100%" />
        <Select
          label={w.channelFilter}
          w={240}
          value={chosen ? url.channel : ''}
          onChange={(channel) => setUrl({ channel: channel ?? '' })}
          data={[
            { value: '', label: w.allChannels },
            ...channels.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
        <Group gap="xs" className="allocations-tools">
          {canEdit && (
            <>
              <Button
                variant="default"
                leftSection={<PaintBucket size={16} aria-hidden />}
                disabled={list.rows.length === 0}
                onClick={() => setDialog('fill')}
              >
                {w.fillColumn}
              </Button>
              <Button
                variant="default"
                leftSection={<FileUp size={16} aria-hidden />}
                onClick={() => setDialog('csv')}
              >
                {w.importCsv}
              </Button>
            </>
          )}
          <Button
            component="a"
            href={address('/allocations/export')}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
          >
            {w.exportCsv}
          </Button>
        </Group>
      </div>
      {canEdit && (
        <Text size="xs" c="dimmed" mb="sm" visibleFrom="sm">
          {w.keys}
        </Text>
      )}
      <div className="allocations-matrix">
        <DataTable
          // At a desk the matrix scrolls by itself, so that items and channels stay in sight.
          virtual={isNarrow}
          label={w.title}
          columns={columns}
          rowKey={(row) => row.variant_code}
          list={list}
          empty={
            isFiltered ? (
              <NoMatch onReset={() => setUrl({ search: '', channel: '' })} />
            ) : (
              <EmptyState
                icon={<Layers size={28} strokeWidth={1.5} aria-hidden />}
                title={w.empty}
                text={w.emptyText}
                action={
                  <Button component={Link} to="/stock" variant="default">
                    {w.toStock}
                  </Button>
                }
              />
            )
          }
        />
      </div>
      <SaveBar
        count={edits.length}
        elsewhere={edits.filter(({ variant_code }) => !inView.has(variant_code)).length}
        faulty={edits.filter((edit) => changeOf(edit) === null).length}
        warnings={
          list.rows.filter((row) => matrix.byItem.has(row.variant_code) && previewOf(row).overcommittedBy > 0)
            .length
        }
        isSaving={matrix.isSaving}
        outcome={matrix.outcome}
        onReview={() => setDialog('review')}
        onSave={matrix.saveAll}
        onDiscard={() => void discard()}
        onClose={matrix.closeOutcome}
      />
      {dialog === 'fill' && (
        <FillDialog channels={shown} rows={list.rows} onChange={matrix.actions.change} onClose={close} />
      )}
      {dialog === 'csv' && (
        <Suspense>
          <CsvDialog nameOf={nameOf} onClose={close} />
        </Suspense>
      )}
      {dialog === 'review' && (
        <ReviewDialog
          edits={edits}
          nameOf={nameOf}
          onClose={close}
          onSave={() => {
            close();
            matrix.saveReviewed();
          }}
        />
      )}
      {rowToMove && <MoveDialog row={rowToMove} channels={channels} onClose={() => setMoved(null)} />}
    </>
  );
}

/** The one that was asked for first; closed ones only where they still hold something. */
function useShownChannels(
  channels: Channel[],
  rows: AllocationRow[],
  chosen: Channel | undefined,
): Channel[] {
  return useMemo(() => {
    const held = new Set(rows.flatMap(({ cells }) => cells.map(({ channel_id }) => channel_id)));
    const rest = channels.filter(({ id, is_active }) => id !== chosen?.id && (is_active || held.has(id)));
    return chosen ? [chosen, ...rest] : rest;
  }, [channels, rows, chosen]);
}

/** Each item's numbers after saving, worked out once for each change. */
function usePreviews(rows: AllocationRow[], byItem: ReadonlyMap<string, Edit[]>) {
  const previews = useMemo(
    () =>
      new Map(
        rows.map((row) => {
          const edits = byItem.get(row.variant_code) ?? NO_EDITS;
          return [row, preview(row, new Map(edits.map((edit) => [edit.channel_id, shownChange(edit)])))];
        }),
      ),
    [rows, byItem],
  );
  return useCallback(
    (row: AllocationRow): Preview => previews.get(row) ?? preview(row, new Map()),
    [previews],
  );
}

function useColumns(
  channels: Channel[],
  { edits, actions }: Pick<ReturnType<typeof useMatrix>, 'edits' | 'actions'>,
  previewOf: (row: AllocationRow) => Preview,
  /** Null: for viewers. */
  onMove: ((variantCode: string) => void) | null,
): Column<AllocationRow>[] {
  const c = useWords(common);
  const w = useWords(words);
  const format = useFormat();
  const isNarrow = useNarrow();
  return [
    {
      key: 'item',
      header: c.variant,
      primary: true,
      cell: (row) => <Item row={row} over={previewOf(row).overcommittedBy} />,
    },
    {
      key: 'common',
      header: w.common,
      cell: (row) => <Common row={row} after={previewOf(row)} format={format} onMove={onMove} />,
    },
    ...channels.map(({ id, name }): Column<AllocationRow> => ({
      key: String(id),
      header: name,
      cell: (row) => {
        const cell = row.cells.find(({ channel_id }) => channel_id === id);
        if (cell === undefined) return isNarrow ? null : <span className="allocations-note">–</span>;
        return (
          <Cell
            item={row.variant_code}
            channel={name}
            cell={cell}
            edit={edits.get(editKey(id, row.variant_code))}
            available={previewOf(row).channels.get(id)?.available ?? cell.available}
            canEdit={onMove !== null}
            actions={actions}
            format={format}
          />
        );
      },
    })),
  ];
}

/** With the mark of an overcommitted item: the column stays in sight, the common stock may not. */
function Item({ row, over }: { row: AllocationRow; over: number }) {
  const t = useWords(terms);
  const format = useFormat();
  return (
    <div className="allocations-item">
      <Link to={path`/stock/${row.variant_code}`} className="mono">
        {row.variant_code}
      </Link>
      <span>
        {row.product_name}
        {row.power !== null && (
          <>
            {' · '}
            <span className="allocations-power">{row.power}</span>
          </>
        )}
      </span>
      {over > 0 && <Badge color="orange">{t.overcommittedBy(format.integer(over))}</Badge>}
    </div>
  );
}

interface CommonProps {
  row: AllocationRow;
  after: Preview;
  format: ReturnType<typeof useFormat>;
  onMove: ((variantCode: string) => void) | null;
}

/** The common stock with its terms, now and after, and a warning where more is given away than there is. */
function Common({ row, after, format, onMove }: CommonProps) {
  const w = useWords(words);
  const isChanged = after.common !== row.common_available;
  return (
    <div className="allocations-common">
      <span className="num">
        {isChanged && (
          <>
            {format.integer(row.common_available)} <span aria-hidden>→</span>{' '}
            <span className="only-read">{w.becomes}</span>
          </>
        )}
        <b data-down={after.common < row.common_available}>{format.integer(after.common)}</b>
      </span>
      <span className="allocations-note num" title={w.sumHint}>
        {w.sum(
          format.integer(row.quantity),
          format.integer(row.unshipped),
          format.integer(after.allocated),
          format.integer(row.backordered),
        )}
      </span>
      {onMove !== null && row.allocated > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          className="allocations-move"
          leftSection={<ArrowLeftRight size={13} aria-hidden />}
          aria-label={w.moveOf(row.variant_code)}
          onClick={() => onMove(row.variant_code)}
        >
          {w.move}
        </Button>
      )}
      {after.overcommittedBy > 0 ? (
        <span className="allocations-warning" data-strong>
          <TriangleAlert size={13} aria-hidden />{' '}
          {w.overcommitted(
            format.integer(after.allocated),
            format.integer(row.unshipped),
            format.integer(row.quantity),
            format.integer(after.overcommittedBy),
          )}
        </span>
      ) : (
        after.beyondPromised > 0 && (
          <span className="allocations-warning">
            <TriangleAlert size={13} aria-hidden /> {w.beyondPromised(format.integer(after.beyondPromised))}
          </span>
        )
      )}
    </div>
  );
}
