import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
import { WEBHOOK_DESCRIPTION_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { apiPath } from '../../api/address.ts';
import { useSend } from '../../api/query.ts';
import { patch, post } from '../../api/request.ts';
import type { Webhook, WebhookEvent, WebhookWithSecret } from '../../api/types.ts';
import { Problem, SecretDialog, useForm, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

const EVENTS: readonly WebhookEvent[] = [
  'order.accepted',
  'order.status_changed',
  'alert.opened',
  'alert.closed',
];

interface WebhookForm {
  url: string;
  description: string;
  events: WebhookEvent[];
  include_personal_data: boolean;
}

const NEW: WebhookForm = {
  url: '',
  description: '',
  events: ['order.accepted', 'order.status_changed'],
  include_personal_data: false,
};

export function WebhookDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (webhook: WebhookWithSecret) => void;
}) {
  const w = useWords(words);
  const save = useSend((form: WebhookForm) => post('/webhooks', form), {
    refresh: ['/webhooks'],
    failure: 'inline',
    onDone: (webhook) => {
      onClose();
      onMade(webhook);
    },
  });
  return (
    <WebhookFields
      title={w.add}
      submit={w.add}
      start={NEW}
      error={save.error}
      isSending={save.isPending}
      onSend={(values) => save.mutate(values)}
      onClose={onClose}
    />
  );
}

/** Changes the address, the events and the description of an endpoint. The secret stays. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const { id, url, description, events, include_personal_data } = webhook;
  const start: WebhookForm = { url, description, events, include_personal_data };
  const send = (changed: Partial<WebhookForm>) => patch(apiPath('/webhooks/{id}', { id }), changed);
  const save = useSend(send, {
    refresh: ['/webhooks'],
    failure: 'inline',
    done: w.changed,
    undo: (_, changed) => () =>
      send(Object.fromEntries(Object.entries(start).filter(([name]) => name in changed))),
    onDone: onClose,
  });
  return (
    <WebhookFields
      title={w.edit}
      submit={c.save}
      start={start}
      error={save.error}
      isSending={save.isPending}
      onSend={(_, changed) => save.mutate(changed)}
      onClose={onClose}
    />
  );
}

interface FieldsProps {
  title: string;
  submit: string;
  start: WebhookForm;
  error: Error | null;
  isSending: boolean;
  onSend: (values: WebhookForm, changed: Partial<WebhookForm>) => void;
  onClose: () => void;
}

function WebhookFields({ title, submit, start, error, isSending, onSend, onClose }: FieldsProps) {
  const w = useWords(words);
  const c = useWords(common);
  const form = useForm<WebhookForm>(start, {
    error,
    check: ({ url, events }) => ({
      ...(url.trim() === '' ? { url: c.required } : {}),
      ...(events.length === 0 ? { events: w.eventsMissing } : {}),
    }),
  });
  const send = (values: WebhookForm, { url, ...changed }: Partial<WebhookForm>) =>
    onSend(
      { ...values, url: values.url.trim() },
      { ...changed, ...(url === undefined ? {} : { url: url.trim() }) },
    );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={title}
      onSubmit={form.submit(send)}
      submit={submit}
      isSending={isSending}
    >
      <TextInput
        label={w.url}
        description={w.urlHint}
        placeholder="https://"
        autoComplete="off"
        data-autofocus
        {...form.text('url')}
      />
      <TextInput
        label={w.note}
        maxLength={WEBHOOK_DESCRIPTION_CHARACTERS_MAX}
        autoComplete="off"
        {...form.text('description')}
      />
      <Checkbox.Group
        label={w.events}
        error={form.error('events')}
        value={form.values.events}
        onChange={(chosen) => form.set({ events: EVENTS.filter((event) => chosen.includes(event)) })}
      >
        <Stack gap={6} mt={6}>
          {EVENTS.map((event) => (
            <Checkbox key={event} value={event} label={w[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch label={w.personal} description={w.personalHint} {...form.flag('include_personal_data')} />
      <Problem error={error} except={form.names} />
    </FormDialog>
  );
}

export function WebhookSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  return (
    <SecretDialog
      title={w.madeTitle}
      text={w.usage}
      label={w.secret}
      value={secret}
      done={c.done}
      onClose={onClose}
    />
  );
}
