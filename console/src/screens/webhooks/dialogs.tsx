import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
import { WEBHOOK_DESCRIPTION_CHARACTERS_MAX } from '../../../../src/domain/text-limits.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { WebhookEvent, WebhookWithSecret } from '../../api/types.ts';
import { Dialog, DialogButtons, Problem, SecretDialog, useForm } from '../../components/index.ts';
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
  const c = useWords(common);
  const save = useSend((form: WebhookForm) => post('/webhooks', form), {
    refresh: ['/webhooks'],
    failure: 'inline',
    onDone: (webhook) => {
      onClose();
      onMade(webhook);
    },
  });
  const form = useForm<WebhookForm>(NEW, {
    error: save.error,
    check: ({ url, events }) => ({
      ...(url.trim() === '' ? { url: c.required } : {}),
      ...(events.length === 0 ? { events: w.eventsMissing } : {}),
    }),
  });
  const send = (values: WebhookForm) => save.mutate({ ...values, url: values.url.trim() });
  return (
    <Dialog isDirty={form.isDirty} onClose={onClose} title={w.add}>
      <form onSubmit={form.submit(send)} noValidate>
        <Stack gap="sm">
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
          <Problem error={save.error} except={form.names} />
          <DialogButtons submit={w.add} isSending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
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
