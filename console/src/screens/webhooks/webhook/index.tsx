import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  SegmentedControl,
  Stack,
  Title,
  Tooltip,
} from '@mantine/core';
import { KeyRound, Pause, Pencil, Play, RotateCw, Send, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate, useParams } from 'react-router';
import { apiPath } from '../../../api/address.ts';
import { useGet, useList, useSend } from '../../../api/query.ts';
import { del, patch, post } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { Webhook, WebhookDelivery } from '../../../api/types.ts';
import {
  confirm,
  Count,
  DataTable,
  EmptyState,
  OrderLink,
  Page,
  Reading,
  Time,
  toastGood,
  useUrlState,
  type Column,
} from '../../../components/index.ts';
import { toastBad } from '../../../components/toast.tsx';
import { useWords } from '../../../i18n/words.ts';
import { EditWebhookDialog, WebhookSecretDialog } from '../dialogs.tsx';
import { WebhookState } from '../state.tsx';
import { words as listWords } from '../words.ts';
import { words } from './words.ts';

const EVERY_MS = 5_000;
const COLORS = { pending: 'yellow', delivered: 'water', failed: 'red' };

export default function WebhookPage() {
  const w = useWords(words);
  const l = useWords(listWords);
  const id = Number(useParams()['id']);
  const [isRemoved, setRemoved] = useState(false);
  const webhook = useGet(isRemoved ? null : apiPath('/webhooks/{id}', { id }), {}, { everyMs: EVERY_MS });
  return (
    <Page
      title={webhook.data ? titleOf(webhook.data) : w.webhook(id)}
      back={{ to: '/webhooks', label: l.title }}
    >
      <Reading query={webhook}>
        {(found) => <Details webhook={found} onRemove={() => setRemoved(true)} />}
      </Reading>
    </Page>
  );
}

function Details({ webhook, onRemove }: { webhook: Webhook; onRemove: () => void }) {
  const w = useWords(words);
  const l = useWords(listWords);
  const isAdmin = useCan('admin');
  return (
    <Stack gap="md">
      <Group gap="sm">
        <WebhookState webhook={webhook} />
        <span style={{ wordBreak: 'break-all' }}>{webhook.url}</span>
      </Group>
      <div>{webhook.events.map((event) => l[event]).join(', ')}</div>
      {webhook.include_personal_data && <div>{l.personal}</div>}
      {webhook.pause_reason !== null && (
        <Alert color="red" icon={<TriangleAlert size={18} aria-hidden />} title={w.pausedByService}>
          {webhook.pause_reason === 'gone' ? w.pausedGone : w.pausedFailing}
        </Alert>
      )}
      {webhook.is_active && webhook.failures > 0 && (
        <Alert
          color="orange"
          icon={<TriangleAlert size={18} aria-hidden />}
          title={w.failing(webhook.failures)}
        >
          {w.failingText}
          <LastFailure id={webhook.id} />
        </Alert>
      )}
      {isAdmin && <Actions webhook={webhook} onRemove={onRemove} />}
      <Deliveries id={webhook.id} mayResend={isAdmin} />
    </Stack>
  );
}

/** The description, or the host: the id says nothing. */
const titleOf = ({ description, url }: Webhook): string => description || (URL.parse(url)?.host ?? url);

function useReason(): (delivery: Pick<WebhookDelivery, 'response_status' | 'failure'>) => string | null {
  const w = useWords(words);
  const known: Record<string, string> = {
    timeout: w.failure_timeout,
    refused: w.failure_refused,
    unreachable: w.failure_unreachable,
    tls: w.failure_tls,
    redirect: w.failure_redirect,
    address_not_allowed: w.failure_address_not_allowed,
    secret_closed: w.failure_secret_closed,
  };
  return ({ response_status, failure }) =>
    response_status === null
      ? failure === null
        ? null
        : (known[failure] ?? failure)
      : w.status(String(response_status));
}

function LastFailure({ id }: { id: number }) {
  const w = useWords(words);
  const reasonOf = useReason();
  const to = apiPath('/webhooks/{id}/deliveries', { id });
  const { rows } = useList(to, { failing: 'true' }, { everyMs: EVERY_MS, limit: 20 });
  const last = rows.toSorted((a, b) => (b.last_attempt_at ?? '').localeCompare(a.last_attempt_at ?? ''))[0];
  const reason = last === undefined ? null : reasonOf(last);
  return reason !== null && <div>{w.lastFailure(reason)}</div>;
}

function Actions({ webhook, onRemove }: { webhook: Webhook; onRemove: () => void }) {
  const w = useWords(words);
  const { id, is_active } = webhook;
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  const refresh = ['/webhooks'];
  const test = useSend(() => post(apiPath('/webhooks/{id}/test', { id })), {
    refresh,
    onDone: ({ state }) => (state === 'delivered' ? toastGood(w.testOk) : toastBad(w.testBad)),
  });
  const change = useSend(() => patch(apiPath('/webhooks/{id}', { id }), { is_active: !is_active }), {
    refresh,
  });
  const rotate = useSend(() => post(apiPath('/webhooks/{id}/rotate-secret', { id }), {}), {
    refresh,
    onDone: (made) => setSecret(made.secret),
  });
  const remove = useSend(() => del(apiPath('/webhooks/{id}', { id })), {
    refresh,
    done: w.removed,
  });
  const askAndRotate = async () => {
    if (await confirm({ title: w.rotateTitle, text: w.rotateText, confirm: w.rotate })) rotate.mutate();
  };
  const askAndRemove = async () => {
    const question = { title: w.removeTitle, text: w.removeText, confirm: w.remove, danger: true };
    if (!(await confirm(question))) return;
    // This page polls: it must stop and navigate away before the webhook is deleted.
    flushSync(onRemove);
    await navigate('/webhooks');
    remove.mutate();
  };
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<Pencil size={16} aria-hidden />}
        onClick={() => setEditing(true)}
      >
        {w.edit}
      </Button>
      <Button
        variant="default"
        leftSection={<Send size={16} aria-hidden />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {w.test}
      </Button>
      <Button
        variant="default"
        leftSection={is_active ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {is_active ? w.pause : w.resume}
      </Button>
      <Button
        variant="default"
        leftSection={<KeyRound size={16} aria-hidden />}
        onClick={() => void askAndRotate()}
      >
        {w.rotate}
      </Button>
      <Button
        variant="default"
        color="red"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => void askAndRemove()}
      >
        {w.remove}
      </Button>
      {isEditing && <EditWebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
      {secret !== null && <WebhookSecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Group>
  );
}

/** The body of an event of an order has its number. */
function orderNumberOf(payload: unknown): string | null {
  const { data } = (payload ?? {}) as { data?: { order_number?: unknown } };
  return typeof data?.order_number === 'string' ? data.order_number : null;
}

function Deliveries({ id, mayResend }: { id: number; mayResend: boolean }) {
  const w = useWords(words);
  const l = useWords(listWords);
  const [url, setUrl] = useUrlState({ show: '' });
  const isFailing = url.show === 'failing';
  const filter = isFailing ? { failing: 'true' as const } : {};
  const list = useList(apiPath('/webhooks/{id}/deliveries', { id }), filter, { everyMs: EVERY_MS });
  const reasonOf = useReason();
  const resend = useSend(
    (delivery: WebhookDelivery) =>
      post(apiPath('/webhooks/{id}/deliveries/{deliveryId}/resend', { id, deliveryId: delivery.id })),
    { refresh: ['/webhooks'], done: w.resent },
  );
  const eventName = (type: string): string => {
    const known = (['order.accepted', 'order.status_changed', 'alert.opened', 'alert.closed'] as const).find(
      (event) => event === type,
    );
    return known ? l[known] : w.test_event;
  };
  const columns: Column<WebhookDelivery>[] = [
    { key: 'event', header: w.event, primary: true, cell: ({ type }) => eventName(type) },
    {
      key: 'about',
      header: w.about,
      cell: ({ order_id, alert_id, payload }) => {
        if (order_id !== null)
          return <OrderLink id={order_id} number={orderNumberOf(payload) ?? w.order(order_id)} />;
        return alert_id === null ? '–' : w.alert(alert_id);
      },
    },
    { key: 'state', header: w.state, cell: ({ state }) => <Badge color={COLORS[state]}>{w[state]}</Badge> },
    {
      key: 'answer',
      header: w.answer,
      cell: ({ response_status, failure, response_text }) => (
        <span title={response_text ?? undefined}>
          {response_status ?? reasonOf({ response_status, failure }) ?? '–'}
        </span>
      ),
    },
    { key: 'attempts', header: w.attempts, align: 'right', cell: ({ attempts }) => <Count n={attempts} /> },
    {
      key: 'last',
      header: w.lastAttempt,
      cell: ({ last_attempt_at }) => <Time at={last_attempt_at} relative />,
    },
    {
      key: 'resend',
      header: w.resend,
      quiet: true,
      align: 'right',
      width: 60,
      cell: (delivery) =>
        mayResend && (
          <Tooltip label={w.resend}>
            <ActionIcon variant="subtle" aria-label={w.resend} onClick={() => resend.mutate(delivery)}>
              <RotateCw size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ),
    },
  ];
  return (
    <>
      <Title order={2} size="h4">
        {w.deliveries}
      </Title>
      <SegmentedControl
        aria-label={w.state}
        style={{ alignSelf: 'flex-start' }}
        value={isFailing ? 'failing' : ''}
        onChange={(show) => setUrl({ show })}
        data={[
          { value: '', label: w.all },
          { value: 'failing', label: w.notAccepted },
        ]}
      />
      <DataTable
        label={w.deliveries}
        columns={columns}
        rowKey={(delivery) => delivery.id}
        list={list}
        empty={<EmptyState title={w.empty} />}
      />
    </>
  );
}
