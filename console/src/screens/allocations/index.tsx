// The allocation matrix, items by channels: pre-allocations are edited in place; what each channel may sell is previewed.
import { Button, Group, Select, Text } from '@mantine/core';
import { FileUp, Layers, PaintBucket } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useAll, useList } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { Channel } from '../../api/types.ts';
import {
  confirm,
  DataTable,
  DownloadButton,
  EmptyState,
  ErrorState,
  LinkButton,
  Loading,
  NoMatch,
  Page,
  SearchInput,
  useNarrow,
  useUrlState,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import './allocations.css';
import { useColumns } from './columns.tsx';
import { changeOf } from './edits.ts';
import { FillDialog } from './fill-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { SaveBar } from './save-bar.tsx';
import { useMatrix } from './use-matrix.ts';
import { usePreviews, useShownChannels } from './use-previews.ts';
import { words } from './words.ts';

const CsvDialog = lazy(() => import('./csv-dialog.tsx'));

const PAGE_ITEMS = 50;

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

type DialogName = 'fill' | 'csv' | 'review';

function Matrix({ channels }: { channels: Channel[] }) {
  const w = useWords(words);
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
  const [dialog, setDialog] = useState<DialogName | null>(null);
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
      <Filters channels={channels} chosen={chosen} canFill={list.rows.length > 0} onDialog={setDialog} />
      {canEdit && (
        <Text size="xs" c="dimmed" mb="sm" visibleFrom="sm">
          {w.keys}
        </Text>
      )}
      <div className="allocations-matrix">
        <DataTable
          // On wide screens the matrix scrolls in its own area, so that items and channels stay visible.
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
                icon={Layers}
                title={w.empty}
                text={w.emptyText}
                action={<LinkButton to="/stock" label={w.toStock} />}
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

interface FiltersProps {
  channels: Channel[];
  chosen: Channel | undefined;
  canFill: boolean;
  onDialog: (name: DialogName) => void;
}

function Filters({ channels, chosen, canFill, onDialog }: FiltersProps) {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const [, setUrl] = useUrlState({ search: '', channel: '' });
  return (
    <div className="filters">
      <SearchInput isLabelled label={c.search} placeholder={w.searchHint} w={320} maw="100%" />
      <Select
        label={w.channelFilter}
        w={240}
        value={String(chosen?.id ?? '')}
        onChange={(channel) => setUrl({ channel: channel ?? '' })}
        data={[
          { value: '', label: c.allChannels },
          ...channels.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <Group gap="xs" className="allocations-tools">
        {canEdit && (
          <>
            <Button
              variant="default"
              leftSection={<PaintBucket size={16} aria-hidden />}
              disabled={!canFill}
              onClick={() => onDialog('fill')}
            >
              {w.fillColumn}
            </Button>
            <Button
              variant="default"
              leftSection={<FileUp size={16} aria-hidden />}
              onClick={() => onDialog('csv')}
            >
              {w.importCsv}
            </Button>
          </>
        )}
        <DownloadButton from="/allocations/export" label={c.exportCsv} />
      </Group>
    </div>
  );
}
