import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { ArrowLeftRight, FileUp, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useList, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { path, post, put } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { ChannelRef, Mapping } from '../../api/types.ts';
import {
  AddButton,
  confirm,
  DataTable,
  DownloadButton,
  EmptyState,
  ItemLink,
  LinkButton,
  NoMatch,
  SearchInput,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { MAPPING_READERS, MappingDialog, type Subject } from './dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { words } from './words.ts';

/** The mappings of one channel. */
export function Mapped({ channel }: { channel: ChannelRef }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ search: '' });
  const [subject, setSubject] = useState<Subject | null>(null);
  const [isImporting, setImporting] = useState(false);
  const list = useList(apiPath('/channels/{id}/mappings', { id: channel.id }), { search: url.search });
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  const { isRemoving, askAndRemove } = useRemoval(channel, () => setSelected(new Set()));
  const addButton = canEdit && (
    <AddButton label={w.add} onClick={() => setSubject({ channel, sku: '', variant_code: null })} />
  );
  const importButton = canEdit && (
    <Button
      variant="default"
      leftSection={<FileUp size={16} aria-hidden />}
      onClick={() => setImporting(true)}
    >
      {w.importCsv}
    </Button>
  );
  const columns: Column<Mapping>[] = [
    { key: 'sku', header: c.sku, primary: true, cell: ({ sku }) => <span className="mono">{sku}</span> },
    {
      key: 'item',
      header: c.variant,
      cell: ({ variant_code }) => <ItemLink code={variant_code} />,
    },
    {
      key: 'product',
      header: c.product,
      cell: ({ product_code, product_name }) => (
        <Link to={path`/products/${product_code}`}>{product_name}</Link>
      ),
    },
    { key: 'power', header: c.power, align: 'right', cell: ({ power }) => power },
    ...(canEdit
      ? [
          actions(
            w,
            c.actions,
            (row) => setSubject({ channel, ...row }),
            ({ sku }) => void askAndRemove([sku]),
          ),
        ]
      : []),
  ];
  return (
    <>
      <div className="mappings-bar">
        <SearchInput label={w.searchMapped} w={320} maw="100%" />
        <Group gap="xs">
          {selected.size > 0 && (
            <Button
              color="red"
              variant="light"
              leftSection={<Trash2 size={16} aria-hidden />}
              loading={isRemoving}
              onClick={() => void askAndRemove([...selected].map(String))}
            >
              {w.removeSelected(format.integer(selected.size))}
            </Button>
          )}
          <DownloadButton from={path`/channels/${channel.id}/mappings/export`} label={c.exportCsv} />
          {importButton}
          {addButton}
        </Group>
      </div>
      <DataTable
        virtual
        label={w.title}
        columns={columns}
        rowKey={({ sku }) => sku}
        list={list}
        {...(canEdit ? { selected, onSelect: setSelected, rowName: ({ sku }: Mapping) => sku } : {})}
        empty={
          url.search === '' ? (
            <EmptyState
              icon={ArrowLeftRight}
              title={w.empty}
              text={w.emptyText}
              action={
                canEdit && (
                  <Group gap="xs" justify="center">
                    {addButton}
                    {importButton}
                    <LinkButton to={`/register?channel=${channel.id}`} label={w.fetchFromChannel} />
                  </Group>
                )
              }
            />
          ) : (
            <NoMatch onReset={() => setUrl({ search: '' })} />
          )
        }
      />
      {subject !== null && <MappingDialog subject={subject} onClose={() => setSubject(null)} />}
      {isImporting && <ImportDialog channel={channel} onClose={() => setImporting(false)} />}
    </>
  );
}

function useRemoval(channel: ChannelRef, onDone: () => void) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const remove = useSend(
    (skus: string[]) => post(apiPath('/channels/{id}/mappings/remove', { id: channel.id }), { skus }),
    {
      refresh: MAPPING_READERS,
      done: ({ removed }) =>
        removed.length === 1
          ? w.removed(removed[0]?.sku ?? '')
          : w.removedMany(format.integer(removed.length)),
      undo:
        ({ removed }) =>
        () =>
          put(apiPath('/channels/{id}/mappings', { id: channel.id }), { mappings: removed }),
      onDone,
    },
  );
  const askAndRemove = async (skus: string[]) => {
    const question = {
      title:
        skus.length === 1 ? w.removeTitle(skus[0] ?? '') : w.removeManyTitle(format.integer(skus.length)),
      text: w.removeText,
      confirm: c.remove,
      danger: true,
    };
    if (await confirm(question)) remove.mutate(skus);
  };
  return { isRemoving: remove.isPending, askAndRemove };
}

interface RowWords {
  change: (sku: string) => string;
  remove: (sku: string) => string;
}

const actions = (
  w: RowWords,
  header: string,
  onChange: (row: Mapping) => void,
  onRemove: (row: Mapping) => void,
): Column<Mapping> => ({
  key: 'actions',
  header,
  quiet: true,
  align: 'right',
  width: 96,
  cell: (row) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Tooltip label={w.change(row.sku)}>
        <ActionIcon variant="subtle" aria-label={w.change(row.sku)} onClick={() => onChange(row)}>
          <Pencil size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={w.remove(row.sku)}>
        <ActionIcon variant="subtle" color="red" aria-label={w.remove(row.sku)} onClick={() => onRemove(row)}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  ),
});
