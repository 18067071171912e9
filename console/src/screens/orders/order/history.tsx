import { Button, Group, Paper, Textarea, Timeline, Title } from '@mantine/core';
import { MessageSquare, Pencil, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { NOTE_CHARACTERS_MAX } from '../../../../../src/platform/values/text-limits.ts';
import { apiPath } from '../../../api/address.ts';
import { useSend } from '../../../api/query.ts';
import { path, post } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { OrderDetail } from '../../../api/types.ts';
import { ActorName, Problem, Time, useForm, useStatusName } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { moveWords } from '../words.ts';
import { words } from './words.ts';

interface Entry {
  key: string;
  at: string;
  title: string;
  text?: ReactNode;
  bullet?: ReactNode;
  actor: string | null;
  actor_name: string | null;
  how: string | null;
}

type Source = 'channel' | 'back_office' | 'import' | 'service';

/** All steps since the intake, with returns and notes in between; the latest entry is at the bottom. */
export function History({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const canWrite = useCan('operator') && order.erased_at === null;
  const entries = useEntries(order);
  return (
    <Paper component="section" aria-label={w.history}>
      <Title order={2} mb="md">
        {w.history}
      </Title>
      <Timeline active={entries.length - 1} bulletSize={20} lineWidth={2}>
        {entries.map(({ key, at, title, text, bullet, actor, actor_name, how }) => (
          <Timeline.Item key={key} title={title} bullet={bullet}>
            {text}
            <div className="order-step">
              <Time at={at} />
              <span>
                <ActorName actor={actor} name={actor_name} />
                {how !== null && ` · ${how}`}
              </span>
            </div>
          </Timeline.Item>
        ))}
      </Timeline>
      {canWrite && <NoteForm order={order} />}
    </Paper>
  );
}

function useEntries(order: OrderDetail): Entry[] {
  const w = useWords(words);
  const m = useWords(moveWords);
  const name = useStatusName();
  const format = useFormat();
  const sources: Record<Source, string> = {
    channel: w.byChannel,
    back_office: w.byOffice,
    import: w.imported,
    service: w.expired,
  };
  const skus = new Map(order.items.map(({ line, variant_code }) => [line, variant_code]));
  const courierText = (code: string | null): string => code ?? m.noCourier;
  const steps = order.history.map(({ from, to, source, correction, ...step }, place) => ({
    ...step,
    key: `step ${place}`,
    title: correction ? w.shipmentCorrected : from === null ? w.accepted(name(to)) : name(to),
    ...(correction
      ? {
          bullet: <Pencil size={12} aria-hidden />,
          text: (
            <div className="order-entry">
              {correction.tracking_changed && <div>{w.newTracking}</div>}
              {correction.courier_code_before !== correction.courier_code_after && (
                <div>
                  {w.courierFromTo(
                    courierText(correction.courier_code_before),
                    courierText(correction.courier_code_after),
                  )}
                </div>
              )}
            </div>
          ),
        }
      : {}),
    how: from === null && source === 'channel' ? w.received : (sources[source as Source] ?? source),
  }));
  // The lines of one return have the same time.
  const returns = Object.values(Object.groupBy(order.returns, ({ at, actor }) => `${at} ${actor}`)).flatMap(
    (lines, place) => {
      const [first] = lines ?? [];
      if (first === undefined) return [];
      return [
        {
          at: first.at,
          actor: first.actor,
          actor_name: first.actor_name,
          key: `return ${place}`,
          title: w.returned,
          bullet: <Undo2 size={12} aria-hidden />,
          how: null,
          text: (
            <div className="order-entry">
              {lines?.map(({ line, quantity }) => (
                <div key={line}>
                  {format.integer(quantity)} × <span className="mono">{skus.get(line)}</span>
                </div>
              ))}
              <div>{first.reason}</div>
            </div>
          ),
        },
      ];
    },
  );
  const notes = order.notes.map(({ text, ...note }, place) => ({
    ...note,
    key: `note ${place}`,
    title: w.note,
    bullet: <MessageSquare size={12} aria-hidden />,
    how: null,
    text: <div className="order-entry order-written">{text}</div>,
  }));
  // The sort is stable: steps of one report have the same time and keep their order.
  return [...steps, ...returns, ...notes].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function NoteForm({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  const add = useSend(
    ({ text }: { text: string }) => post(apiPath('/orders/{id}/notes', { id: order.id }), { text }),
    {
      refresh: [path`/orders/${order.id}`, '/audit'],
      failure: 'inline',
      done: w.noteAdded,
      onDone: () => form.saved({ text: '' }),
    },
  );
  const form = useForm(
    { text: '' },
    { error: add.error, check: ({ text }) => (text.trim() === '' ? { text: c.required } : {}) },
  );
  return (
    <form
      className="order-note-form"
      onSubmit={form.submit(({ text }) => add.mutate({ text: text.trim() }))}
      noValidate
    >
      <Textarea
        label={w.newNote}
        description={w.noteHint}
        maxLength={NOTE_CHARACTERS_MAX}
        autosize
        minRows={2}
        {...form.text('text')}
      />
      <Problem error={add.error} except={form.names} />
      <Group justify="flex-end" mt="xs">
        <Button type="submit" variant="default" loading={add.isPending}>
          {w.addNote}
        </Button>
      </Group>
    </form>
  );
}
