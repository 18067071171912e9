import { ActionIcon, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { Pencil, Trash2, Truck } from 'lucide-react';
import { useState } from 'react';
import { aliasesIn } from '../../../../src/core/rules/couriers.ts';
import { CODE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { HTTP_URL_CHARACTERS_MAX } from '../../../../src/platform/values/http-url.ts';
import { useAll, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { ApiError } from '../../api/error.ts';
import { del, put } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { CommonCode } from '../../api/types.ts';
import {
  AddButton,
  confirm,
  DataTable,
  EmptyState,
  Page,
  Problem,
  useForm,
  type Column,
  FormDialog,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import './couriers.css';
import { words } from './words.ts';

const GROUP = apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' });
const PLACEHOLDER = '{tracking_number}';

export default function Couriers() {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const couriers = useAll(GROUP);
  const [edited, setEdited] = useState<CommonCode | 'new' | null>(null);
  const remove = useSend(
    ({ code }: CommonCode) =>
      del(apiPath('/common-codes/{group}/{code}', { group: 'DELIVERY_COMPANY', code })),
    {
      refresh: [GROUP],
      done: (_, { code }) => w.deleted(code),
      undo:
        (_, { code, name, tracking_url, aliases }) =>
        () =>
          put(apiPath('/common-codes/{group}/{code}', { group: 'DELIVERY_COMPANY', code }), {
            name,
            tracking_url,
            aliases,
          }),
    },
  );
  const askAndRemove = async (courier: CommonCode) => {
    const { code } = courier;
    const question = {
      title: w.deleteTitle(code),
      text: w.deleteText,
      confirm: w.deleteOf(code),
      danger: true,
    };
    if (await confirm(question)) remove.mutate(courier);
  };
  const addButton = canEdit && <AddButton label={w.add} onClick={() => setEdited('new')} />;

  const columns: Column<CommonCode>[] = [
    { key: 'code', header: c.code, primary: true, cell: ({ code }) => <span className="mono">{code}</span> },
    { key: 'name', header: c.name, cell: ({ name }) => name },
    { key: 'aliases', header: w.aliases, cell: ({ aliases }) => aliases.join(', ') },
    {
      key: 'tracking',
      header: w.trackingUrl,
      cell: ({ tracking_url }) =>
        tracking_url === null ? (
          <Text span size="sm" c="dimmed">
            {c.none}
          </Text>
        ) : (
          <span className="mono courier-url">{tracking_url}</span>
        ),
    },
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
        empty={<EmptyState icon={Truck} title={w.empty} text={w.emptyText} action={addButton} />}
      />
      {edited !== null && (
        <CourierDialog
          courier={edited === 'new' ? null : edited}
          taken={couriers.data?.map(({ code }) => code) ?? []}
          look={async () => (await couriers.refetch({ throwOnError: true })).data ?? []}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  );
}

interface RowWords {
  edit: string;
  editOf: (code: string) => string;
  deleteOf: (code: string) => string;
}

const actionsColumn = (
  onEdit: (row: CommonCode) => void,
  onDelete: (row: CommonCode) => void,
  w: RowWords,
): Column<CommonCode> => ({
  key: 'actions',
  header: w.edit,
  quiet: true,
  align: 'right',
  width: 96,
  cell: (row) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Tooltip label={w.editOf(row.code)}>
        <ActionIcon variant="subtle" aria-label={w.editOf(row.code)} onClick={() => onEdit(row)}>
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
  /** Reads the list again. */
  look: () => Promise<CommonCode[]>;
  onClose: () => void;
}

interface CourierForm {
  code: string;
  name: string;
  tracking_url: string;
  aliases: string;
}

interface Typed {
  values: CourierForm;
  changed: Partial<CourierForm>;
}

function CourierDialog({ courier, taken, look, onClose }: DialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const save = useSend(
    async ({ values, changed: { name, tracking_url, aliases } }: Typed) => {
      const code = values.code.trim();
      // Adding and renaming are the same API call, and another user may have added, renamed or deleted it meanwhile.
      const stored = (await look()).find((one) => one.code === code);
      if (courier === null && stored) throw new ApiError(409, w.exists, { errors: { code: [w.exists] } });
      if (courier !== null && !stored) throw new ApiError(409, w.gone(code));
      return put(apiPath('/common-codes/{group}/{code}', { group: 'DELIVERY_COMPANY', code }), {
        name: name?.trim() ?? stored?.name ?? values.name,
        ...(aliases === undefined ? {} : { aliases: aliasesIn(aliases) }),
        ...(tracking_url === undefined ? {} : { tracking_url: tracking_url.trim() || null }),
      });
    },
    {
      // Orders link to their couriers.
      refresh: [GROUP, '/orders'],
      failure: 'inline',
      done: ({ code }) => w.saved(code),
      onDone: onClose,
    },
  );
  const start: CourierForm = {
    code: courier?.code ?? '',
    name: courier?.name ?? '',
    tracking_url: courier?.tracking_url ?? '',
    aliases: courier?.aliases.join(', ') ?? '',
  };
  const form = useForm(start, {
    error: save.error,
    check: ({ code, name, tracking_url }) => ({
      ...(code.trim() === '' ? { code: c.required } : {}),
      ...(courier === null && taken.includes(code.trim()) ? { code: w.exists } : {}),
      ...(name.trim() === '' ? { name: c.required } : {}),
      ...(tracking_url.trim() === '' || tracking_url.includes(PLACEHOLDER)
        ? {}
        : { tracking_url: w.noPlaceholder(PLACEHOLDER) }),
    }),
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={courier === null ? w.add : w.editOf(courier.code)}
      onSubmit={form.submit((values, changed) => save.mutate({ values, changed }))}
      submit={c.save}
      isSending={save.isPending}
    >
      <TextInput
        label={c.code}
        description={w.codeHint}
        maxLength={CODE_CHARACTERS_MAX}
        readOnly={courier !== null}
        {...(courier === null ? { 'data-autofocus': true } : {})}
        {...form.text('code')}
      />
      <TextInput
        label={c.name}
        maxLength={NAME_CHARACTERS_MAX}
        {...(courier === null ? {} : { 'data-autofocus': true })}
        {...form.text('name')}
      />
      <TextInput
        label={`${w.aliases} (${c.optional})`}
        description={w.aliasesHint}
        autoComplete="off"
        {...form.text('aliases')}
      />
      <TextInput
        label={`${w.trackingUrl} (${c.optional})`}
        description={w.trackingHint(PLACEHOLDER)}
        placeholder={`https://example.com/?no=${PLACEHOLDER}`}
        maxLength={HTTP_URL_CHARACTERS_MAX}
        autoComplete="off"
        {...form.text('tracking_url')}
      />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
