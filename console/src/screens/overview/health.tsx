// Health of the service: reconciliation of counters with orders and ledger, batches and queue.
import { Badge, Button, Progress, Text } from '@mantine/core';
import { CircleCheck, CircleDashed, ShieldCheck, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { useSend } from '../../api/query.ts';
import { get, path } from '../../api/request.ts';
import type { Drift, Overview } from '../../api/types.ts';
import { Problem, Time } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Panel } from './panel.tsx';
import { counterWords, words } from './words.ts';

const DRIFT_SHOWN_MAX = 20;
const BUSY = 0.5;
const FULL = 0.9;

interface Props {
  overview: Overview;
}

export function ReconcilePanel({ overview }: Props) {
  const w = useWords(words);
  const format = useFormat();
  const check = useSend(() => get('/reconcile'), {
    refresh: ['/overview'],
    failure: 'inline',
  });
  const last = overview.reconcile ?? check.data ?? null;
  // The drift of an earlier check stays listed as long as the drift count has not changed.
  const drift = check.data?.drift_count === last?.drift_count ? (check.data?.drift ?? []) : [];
  const rest = (last?.drift_count ?? 0) - Math.min(drift.length, DRIFT_SHOWN_MAX);
  return (
    <Panel
      title={w.reconcile}
      text={w.reconcileText}
      aside={
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<ShieldCheck size={15} aria-hidden />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {w.checkNow}
        </Button>
      }
    >
      <div role="status">
        <p className="overview-fine">
          {last === null ? (
            <CircleDashed size={16} aria-hidden />
          ) : last.ok ? (
            <CircleCheck size={16} color="var(--good)" aria-hidden />
          ) : (
            <TriangleAlert size={16} color="var(--bad)" aria-hidden />
          )}
          <span>
            {last === null
              ? w.neverChecked
              : last.ok
                ? w.checkedOk(format.integer(last.checked))
                : w.checkedBad(format.integer(last.checked), format.integer(last.drift_count))}{' '}
            {last !== null && !last.ok && drift.length === 0 && w.checkToList}
          </span>
        </p>
        {overview.reconcile !== null && (
          <Text size="xs" c="dimmed">
            {w.lastChecked} <Time at={overview.reconcile.checked_at} relative />
          </Text>
        )}
      </div>
      <Problem error={check.error} />
      {drift.length > 0 && (
        <ul className="overview-list">
          {drift.slice(0, DRIFT_SHOWN_MAX).map((one) => (
            <li key={`${one.counter} ${one.variant_code} ${one.channel_id} ${one.order_number}`}>
              <DriftLine drift={one} channels={overview.channels} />
            </li>
          ))}
          {rest > 0 && <li>{w.moreDrift(format.integer(rest))}</li>}
        </ul>
      )}
    </Panel>
  );
}

function DriftLine({ drift, channels }: { drift: Drift; channels: Overview['channels'] }) {
  const w = useWords(words);
  const names = useWords(counterWords);
  const format = useFormat();
  const { variant_code, order_number, channel_id } = drift;
  const key = drift.counter.replaceAll('.', '_');
  const text: unknown = Object.hasOwn(names, key) ? names[key as keyof typeof names] : drift.counter;
  const what = typeof text === 'string' ? text : drift.counter;
  const shown = (value: number | string | null): string =>
    value === null ? w.noRow : format.decimal(String(value));
  const channel = channels.find(({ id }) => id === channel_id)?.name ?? String(channel_id);
  return (
    <Text size="sm">
      {order_number !== undefined && (
        <Link to={`/orders?order_number=${encodeURIComponent(order_number)}`}>
          {names.order(order_number)}
        </Link>
      )}
      {order_number !== undefined && variant_code !== undefined && ' · '}
      {variant_code !== undefined && (
        <Link to={path`/stock/${variant_code}`}>{names.item(variant_code)}</Link>
      )}
      {channel_id !== undefined && `${variant_code === undefined ? '' : ' · '}${names.channel(channel)}`}
      {': '}
      {drift.computed === null
        ? w.stray(what, shown(drift.stored))
        : w.difference(what, shown(drift.stored), shown(drift.computed))}
    </Text>
  );
}

export function GatePanel({ overview }: Props) {
  const w = useWords(words);
  const format = useFormat();
  const { gate } = overview;
  const load = gate.capacity === 0 ? 0 : gate.waiting / gate.capacity;
  const state =
    load >= FULL
      ? { color: 'red', text: w.gateFull }
      : load >= BUSY
        ? { color: 'yellow', text: w.gateBusy }
        : { color: 'water', text: w.gateGood };
  const figures: [string, string][] = [
    [w.waiting, w.ofCapacity(format.integer(gate.waiting), format.integer(gate.capacity))],
    [w.gateOrders, format.integer(gate.orders)],
    [w.batches, format.integer(gate.batches)],
    [w.lastBatch, format.integer(gate.last_batch_size)],
    [w.averageBatch, w.milliseconds(format.decimal(gate.average_batch_ms.toFixed(1)))],
    [w.retries, format.integer(gate.retries)],
  ];
  return (
    <Panel title={w.gate} text={w.gateText} aside={<Badge color={state.color}>{state.text}</Badge>}>
      <Progress value={load * 100} color={state.color} size="sm" mb="sm" aria-hidden />
      <dl className="overview-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
