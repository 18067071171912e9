import { ActionIcon, Badge, Button, Group, Paper, Select, Stack, Title, Tooltip } from '@mantine/core';
import { Undo2 } from 'lucide-react';
import { apiPath } from '../../api/address.ts';
import { useList, useSend } from '../../api/query.ts';
import { del, post } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { ExchangeRate } from '../../api/types.ts';
import { StepLine } from '../../components/charts/index.ts';
import { confirm, DataTable, EmptyState, Time, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { statesOf, type RateState } from './rate.ts';
import { words } from './words.ts';

interface HistoryProps {
  /** Time of the service, not of the browser. */
  now: number;
  currency: string;
  currencies: readonly string[];
  onChoose: (currency: string) => void;
  onAdd: (currency: string) => void;
}

interface Row extends ExchangeRate {
  state: RateState;
}

const COLORS: Record<RateState, string> = {
  current: 'water',
  scheduled: 'blue',
  past: 'gray',
  overruled: 'gray',
};

export function History({ now, currency, currencies, onChoose, onAdd }: HistoryProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const withdraw = useWithdraw();
  const canAdd = useCan('operator');
  const list = useList('/exchange-rates', { currency_code: currency }, { limit: 200, keep: false });
  const states = statesOf(list.rows, now);
  const rows = list.rows.map((rate, at): Row => ({ ...rate, state: states[at] ?? 'past' }));
  const names: Record<RateState, string> = {
    current: w.isCurrent,
    scheduled: w.isScheduled,
    past: w.isPast,
    overruled: w.isOverruled,
  };
  const columns: Column<Row>[] = [
    { key: 'from', header: w.from, primary: true, cell: ({ effective_at }) => <Time at={effective_at} /> },
    {
      key: 'rate',
      header: w.rate,
      align: 'right',
      cell: ({ rate }) => <span className="num">{format.money(rate, 'KRW')}</span>,
    },
    {
      key: 'state',
      header: c.state,
      cell: ({ state }) => <Badge color={COLORS[state]}>{names[state]}</Badge>,
    },
    { key: 'added', header: w.added, cell: ({ created_at }) => <Time at={created_at} /> },
    ...(canAdd
      ? [
          {
            key: 'actions',
            header: c.actions,
            quiet: true,
            align: 'right' as const,
            width: 60,
            cell: (row: Row) => {
              const label = w.withdrawOf(format.money(row.rate, 'KRW'));
              return (
                <Tooltip label={label}>
                  <ActionIcon variant="subtle" aria-label={label} onClick={() => withdraw(row)}>
                    <Undo2 size={16} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              );
            },
          },
        ]
      : []),
  ];
  return (
    <section aria-label={w.historyOf(currency)}>
      <Group justify="space-between" mb="xs" mt="xl">
        <Title order={2}>{w.historyOf(currency)}</Title>
        <Select
          aria-label={w.currency}
          data={[...currencies]}
          value={currency}
          onChange={(code) => onChoose(code ?? '')}
          searchable
          w={120}
        />
      </Group>
      <Stack gap="md">
        {rows.length > 0 && (
          <Paper>
            <StepLine
              title={w.chart(currency)}
              name={w.chart(currency)}
              points={pointsOf(rows, now, w.now, w.isScheduled)}
              fromZero={false}
            />
          </Paper>
        )}
        <DataTable
          label={w.historyOf(currency)}
          columns={columns}
          list={{ ...list, rows }}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title={w.historyEmpty}
              action={
                canAdd && (
                  <Button variant="default" onClick={() => onAdd(currency)}>
                    {w.addFor(currency)}
                  </Button>
                )
              }
            />
          }
        />
      </Stack>
    </section>
  );
}

/** Withdraws a rate after a confirmation; Undo is offered for one minute. */
function useWithdraw(): (rate: Row) => void {
  const w = useWords(words);
  const format = useFormat();
  const send = useSend(({ id }: Row) => del(apiPath('/exchange-rates/{id}', { id })), {
    refresh: ['/exchange-rates', '/channels', '/overview'],
    done: (_, { rate }) => w.withdrawn(format.money(rate, 'KRW')),
    undo:
      (_, { currency_code, rate, effective_at }) =>
      () =>
        post('/exchange-rates', { currency_code, rate, effective_at }),
  });
  const ask = async (rate: Row) => {
    const question = {
      title: w.withdrawTitle(format.money(rate.rate, 'KRW')),
      text: rate.state === 'current' ? w.withdrawCurrentText : w.withdrawText,
      confirm: w.withdraw,
      danger: true,
    };
    if (await confirm(question)) send.mutate(rate);
  };
  return (rate) => void ask(rate);
}

/** Points in order of time; the current rate is extended to `now`. */
function pointsOf(rows: readonly Row[], now: number, nowNote: string, scheduledNote: string) {
  const points = rows
    .filter(({ state }) => state !== 'overruled')
    .map(({ effective_at, rate, state }) => ({
      at: effective_at,
      value: rate,
      ...(state === 'scheduled' ? { note: scheduledNote } : {}),
    }))
    .toReversed();
  const last = points.at(-1);
  if (last && Date.parse(last.at) < now) {
    points.push({ at: new Date(now).toISOString(), value: last.value, note: nowNote });
  }
  return points;
}
