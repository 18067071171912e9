import { ActionIcon, Button, Group, Modal, Stack, TextInput, Tooltip } from '@mantine/core';
import { Pencil, Plus, Trash2, Truck } from 'lucide-react';
import { useState } from 'react';
import { useAll, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { del, put } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { CommonCode } from '../../api/types.ts';
import {
  confirm,
  DataTable,
  EmptyState,
  Page,
  Problem,
  useForm,
  type Column,
  DialogButtons,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

const GROUP = apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' });
const CHARACTERS_MAX = 100;

export default function Couriers() {
  const w = useWords(words);
  const canEdit = useCan('operator');
  const couriers = useAll(GROUP);
  const [edited, setEdited] = useState<CommonCode | 'new' | null>(null);
  const remove = useSend(
    (code: string) => del(apiPath('/common-codes/{group}/{code}', { group: 'DELIVERY_COMPANY', code })),
    {
      refresh: [GROUP],
      done: (_, code) => w.deleted(code),
    },
  );
  const askAndRemove = async ({ code }: CommonCode) => {
    const question = {
      title: w.deleteTitle(code),
      text: w.deleteText,
      confirm: w.deleteOf(code),
      danger: true,
    };
    if (await confirm(question)) remove.mutate(code);
  };
  const addButton = canEdit && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {w.add}
    </Button>
  );

  const columns: Column<CommonCode>[] = [
    { key: 'code', header: w.code, primary: true, cell: ({ code }) => <span className="mono">{code}</span> },
    { key: 'name', header: w.name, cell: ({ name }) => name },
    ...(canEdit ? [actionsColumn(setEdited, (row) => void askAndRemove(row), w)] : []),
  ];
  return (
    <Page title={w.title} description={w.description} actions={addButton}>
      <DataTable
        label={w.title}
        columns={columns}
        rows={couriers.data}
        rowKey={({ code }) => code}
        error={couriers.error}
        onRetry={() => void couriers.refetch()}
        empty={
          <EmptyState
            icon={<Truck size={28} strokeWidth={1.5} aria-hidden />}
            title={w.empty}
            text={w.emptyText}
            action={addButton}
          />
        }
      />
      {edited !== null && (
        <CourierDialog
          courier={edited === 'new' ? null : edited}
          taken={couriers.data?.map(({ code }) => code) ?? []}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  );
}

interface RowWords {
  rename: string;
  renameOf: (code: string) => string;
  deleteOf: (code: string) => string;
}

const actionsColumn = (
  onRename: (row: CommonCode) => void,
  onDelete: (row: CommonCode) => void,
  w: RowWords,
): Column<CommonCode> => ({
  key: 'actions',
  header: w.rename,
  quiet: true,
  align: 'right',
  width: 96,
  cell: (row) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Tooltip label={w.renameOf(row.code)}>
        <ActionIcon variant="subtle" aria-label={w.renameOf(row.code)} onClick={() => onRename(row)}>
          <Pencil size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={w.deleteOf(row.code)}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={w.deleteOf(row.code)}
          onClick={() => onDelete(row)}
        >
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  ),
});

interface DialogProps {
  courier: CommonCode | null;
  taken: string[];
  onClose: () => void;
}

function CourierDialog({ courier, taken, onClose }: DialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const save = useSend(
    ({ code, name }: CommonCode) =>
      put(apiPath('/common-codes/{group}/{code}', { group: 'DELIVERY_COMPANY', code }), { name }),
    {
      refresh: [GROUP],
      failure: 'inline',
      done: ({ code }) => w.saved(code),
      onDone: onClose,
    },
  );
  const form = useForm(courier ?? { code: '', name: '' }, {
    error: save.error,
    check: ({ code, name }) => ({
      ...(code.trim() === '' ? { code: c.required } : {}),
      // Adding is the same call as renaming: do not rename by accident.
      ...(courier === null && taken.includes(code.trim()) ? { code: w.exists } : {}),
      ...(name.trim() === '' ? { name: c.required } : {}),
    }),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={courier === null ? w.add : w.renameOf(courier.code)}
      closeButtonProps={{ 'aria-label': c.close }}
    >
      <form
        onSubmit={form.submit(({ code, name }) => save.mutate({ code: code.trim(), name: name.trim() }))}
        noValidate
      >
        <Stack gap="sm">
          <TextInput
            label={w.code}
            description={w.codeHint}
            maxLength={CHARACTERS_MAX}
            readOnly={courier !== null}
            {...(courier === null ? { 'data-autofocus': true } : {})}
            {...form.text('code')}
          />
          <TextInput
            label={w.name}
            maxLength={CHARACTERS_MAX}
            {...(courier === null ? {} : { 'data-autofocus': true })}
            {...form.text('name')}
          />
          <Problem error={save.error} except={form.names} />
          <DialogButtons submit={c.save} isSending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
