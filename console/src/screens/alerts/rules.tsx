import { ActionIcon, Badge, Switch, Tooltip } from '@mantine/core';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { apiPath } from '../../api/address.ts';
import { useGet, useSend } from '../../api/query.ts';
import { get, put } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { AlertRule } from '../../api/types.ts';
import {
  DataTable,
  NumberField,
  Problem,
  useForm,
  wholeNumber,
  type Column,
  FormDialog,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

const THRESHOLDS = ['requests', 'hours', 'failures'] as const;
type Threshold = (typeof THRESHOLDS)[number];

const thresholdsOf = (rule: AlertRule): Threshold[] =>
  THRESHOLDS.filter((name) => typeof rule[name] === 'number');

export function Rules() {
  const w = useWords(words);
  const c = useWords(common);
  const isAdmin = useCan('admin');
  const rules = useGet('/alert-rules');
  const [changed, setChanged] = useState<AlertRule | null>(null);
  const columns: Column<AlertRule>[] = [
    { key: 'kind', header: w.kind, primary: true, cell: ({ kind }) => w[kind] },
    {
      key: 'enabled',
      header: w.enabled,
      cell: ({ enabled }) => <Badge color={enabled ? 'water' : 'gray'}>{enabled ? c.yes : c.no}</Badge>,
    },
    {
      key: 'threshold',
      header: w.threshold,
      cell: (rule) => {
        const { requests, hours, failures } = rule;
        if (rule.kind === 'low_stock') return w.ofVariant;
        if (typeof requests === 'number') return w.requestsIn(textOf(requests), textOf(hours));
        if (typeof failures === 'number') return w.afterFailures(textOf(failures));
        return typeof hours === 'number' ? w.afterHours(textOf(hours)) : w.always;
      },
    },
    {
      key: 'change',
      header: c.change,
      quiet: true,
      align: 'right',
      width: 60,
      cell: (rule) =>
        isAdmin && (
          <Tooltip label={w.changeOf(w[rule.kind])}>
            <ActionIcon
              variant="subtle"
              aria-label={w.changeOf(w[rule.kind])}
              onClick={() => setChanged(rule)}
            >
              <Pencil size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={w.rules}
        columns={columns}
        rowKey={({ kind }) => kind}
        rows={rules.data}
        error={rules.error}
        onRetry={() => void rules.refetch()}
      />
      {changed !== null && <RuleDialog rule={changed} onClose={() => setChanged(null)} />}
    </>
  );
}

interface RuleForm extends Record<Threshold, string> {
  enabled: boolean;
}

const textOf = (value: number | null | undefined): string => (typeof value === 'number' ? String(value) : '');

function RuleDialog({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const names = thresholdsOf(rule);
  const save = useSend(
    async (changed: Partial<RuleForm>) => {
      const to = apiPath('/alert-rules/{kind}', { kind: rule.kind });
      // A rule is stored as a whole: another user may have changed the other fields meanwhile.
      const { kind: _kind, ...stored } = await get(to);
      const thresholds = names.flatMap((name) => {
        const typed = changed[name];
        return typed === undefined ? [] : [[name, wholeNumber(typed)]];
      });
      return put(to, {
        ...stored,
        enabled: changed.enabled ?? stored.enabled,
        ...Object.fromEntries(thresholds),
      });
    },
    { refresh: ['/alert-rules', '/alerts'], failure: 'inline', done: w.saved, onDone: onClose },
  );
  const form = useForm<RuleForm>(
    {
      enabled: rule.enabled,
      requests: textOf(rule.requests),
      hours: textOf(rule.hours),
      failures: textOf(rule.failures),
    },
    {
      error: save.error,
      check: (values) =>
        Object.fromEntries(
          names.flatMap((name) => (wholeNumber(values[name]) === null ? [[name, c.required]] : [])),
        ),
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w[rule.kind]}
      onSubmit={form.submit((_values, changed) => save.mutate(changed))}
      submit={c.save}
      isSending={save.isPending}
    >
      <Switch label={w.enabled} {...form.flag('enabled')} />
      {names.map((name) => (
        <NumberField key={name} label={w[name]} {...form.text(name)} />
      ))}
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
