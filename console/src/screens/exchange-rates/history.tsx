import { Badge, Button, Group, Paper, Select, Stack, Title } from '@mantine/core';
import { useList } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { ExchangeRate } from '../../api/types.ts';
import { StepLine } from '../../components/charts/index.ts';
import { DataTable, EmptyState, Time, type Column } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { statesOf, type RateState } from './rate.ts';
import { words } from './words.ts';

interface HistoryProps {
  /** By the clock of the service. */
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
  const format = useFormat();
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
      header: w.state,
      cell: ({ state }) => <Badge color={COLORS[state]}>{names[state]}</Badge>,
    },
    { key: 'added', header: w.added, cell: ({ created_at }) => <Time at={created_at} /> },
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

/** By time; the rate in force goes on until this moment. */
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
