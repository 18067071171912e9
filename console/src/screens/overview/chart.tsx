import { Text } from '@mantine/core';
import type { Overview } from '../../api/types.ts';
import { EmptyState, useNarrow } from '../../components/index.ts';
import { StackedBars } from '../../components/charts/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useWords } from '../../i18n/words.ts';
import { Panel } from './panel.tsx';
import { words } from './words.ts';

/** The number of colours; the smallest channels share the last series. */
const SERIES_MAX = 8;
const DAY_HOURS = 24;
/** Hours per bar for a week on a phone, where one hour would be two pixels wide. */
const NARROW_WEEK_HOURS = 6;

interface Series {
  name: string;
  values: number[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** Sums of `size` adjacent values; the last group ends with the current hour. */
function grouped(values: readonly number[], size: number): number[] {
  const groups: number[] = [];
  for (let end = values.length; end > 0; end -= size) {
    groups.unshift(sum(values.slice(Math.max(0, end - size), end)));
  }
  return groups;
}

function seriesOf(overview: Overview, others: (n: number) => string): Series[] {
  const names = overview.channels.map(({ name }) => name);
  const nameOf = (id: number): string => {
    const name = overview.channels.find((channel) => channel.id === id)?.name ?? '';
    // Two channels may have the same name.
    return names.filter((one) => one === name).length > 1 || name === '' ? `${name} #${id}` : name;
  };
  const all = overview.orders_per_hour.map(({ channel_id, counts }) => ({
    name: nameOf(channel_id),
    values: counts,
  }));
  if (all.length <= SERIES_MAX) return all;
  const bySize = all.toSorted((a, b) => sum(b.values) - sum(a.values));
  const small = bySize.slice(SERIES_MAX - 1);
  const rest = {
    name: others(small.length),
    values: overview.hours.map((_, at) => sum(small.map(({ values }) => values[at] ?? 0))),
  };
  return [...bySize.slice(0, SERIES_MAX - 1), rest];
}

/** The first hour of each bar. */
const starts = (hours: readonly string[], size: number): string[] =>
  hours.filter((_, at) => (hours.length - 1 - at) % size === size - 1 || at === 0);

function useLabels(hours: readonly string[]): { short: string[]; full: string[] } {
  const w = useWords(words);
  const format = useFormat();
  const locale = useLanguage() === 'ko' ? 'ko-KR' : 'en-GB';
  const zone = { timeZone: format.zone, hourCycle: 'h23' } as const;
  const day = new Intl.DateTimeFormat(locale, { ...zone, weekday: 'short' });
  const whole = new Intl.DateTimeFormat(locale, {
    ...zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const isLong = hours.length > 0 && spanHours(hours) > DAY_HOURS;
  return {
    short: hours.map((at) =>
      isLong ? w.hourOfDay(day.format(new Date(at)), format.time(at).slice(0, 2)) : format.time(at),
    ),
    full: hours.map((at) => whole.format(new Date(at))),
  };
}

const spanHours = (hours: readonly string[]): number =>
  (Date.parse(hours.at(-1) ?? '') - Date.parse(hours[0] ?? '')) / 3_600_000;

export function OrdersChart({ overview, className }: { overview: Overview; className: string }) {
  const w = useWords(words);
  const format = useFormat();
  const isNarrow = useNarrow();
  const size = isNarrow && overview.hours.length > DAY_HOURS ? NARROW_WEEK_HOURS : 1;
  const series = seriesOf(overview, w.others).map(({ name, values }) => ({
    name,
    values: grouped(values, size),
  }));
  const labels = useLabels(starts(overview.hours, size));
  const title = size === 1 ? w.ordersPerHour : w.ordersPerHours(size);
  const taken = sum(series.flatMap(({ values }) => values));
  return (
    <Panel
      title={title}
      className={className}
      aside={
        <Text size="sm" c="dimmed" className="num">
          {w.taken(format.integer(taken))}
        </Text>
      }
    >
      {taken === 0 ? (
        <EmptyState title={w.noOrders} text={w.noOrdersText} />
      ) : (
        <StackedBars
          title={title}
          axis={w.hour}
          labels={labels.short}
          fullLabels={labels.full}
          series={series}
          height={isNarrow ? 200 : 300}
        />
      )}
    </Panel>
  );
}
