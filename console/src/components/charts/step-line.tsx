import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { chartColor, ChartFrame, Grid, type Area } from './frame.tsx';
import { labelEvery, ticks } from './scale.ts';

interface StepLineProps {
  title: string;
  /** In ascending order of time; a value applies until the next point. Decimal strings keep their digits in the tooltip. */
  points: { at: string; value: number | string; note?: string }[];
  /** What the values are ("Physical stock"). */
  name: string;
  /** The axis starts at 0. Default: true. Set to false for rates, which change too little for such an axis. */
  fromZero?: boolean;
  height?: number;
  color?: number;
}

const LABEL_PX = 92;
const LEFT_PX = 62;
const TICKS = 4;
const TIME_TICKS = 6;
const DAY_MS = 86_400_000;

const FLAT_MARGIN = 0.02;

/** A value that stays the same until it changes, such as stock or an exchange rate. */
export function StepLine({ title, points, name, fromZero = true, height = 220, color = 0 }: StepLineProps) {
  const w = useWords(common);
  const format = useFormat();
  const times = points.map(({ at }) => Date.parse(at));
  const values = points.map(({ value }) => Number(value));
  const isWhole = values.every(Number.isInteger);
  const lowest = fromZero ? Math.min(0, ...values) : Math.min(...values);
  const highest = Math.max(fromZero ? 1 : lowest, ...values);
  // A value that never changed is drawn in the middle.
  const margin = lowest === highest ? Math.max(Math.abs(lowest) * FLAT_MARGIN, isWhole ? 1 : 0.01) : 0;
  const scale = ticks(lowest - margin, highest + margin, TICKS, isWhole);
  const [low, high] = [scale[0] ?? 0, scale.at(-1) ?? 1];
  const [begin, end] = [times[0] ?? 0, times.at(-1) ?? 1];
  const span = Math.max(1, end - begin);

  const xOf = (time: number, area: Area) =>
    area.left + ((time - begin) / span) * (area.width - area.left - area.right);
  const yOf = (area: Area) => (value: number) =>
    area.height - area.bottom - ((value - low) / (high - low || 1)) * (area.height - area.bottom - area.top);
  const textOf = (value: number | string) => format.decimal(String(value));

  const draw = (area: Area, active: number | null) => {
    const y = yOf(area);
    const steps = points.map((_, at) => {
      const x = xOf(times[at] ?? 0, area);
      return `${at === 0 ? `M${x}` : `H${x}`} ${at === 0 ? y(values[at] ?? 0) : `V${y(values[at] ?? 0)}`}`;
    });
    const last = area.width - area.right;
    const path = `${steps.join(' ')} H${last}`;
    const stride = labelEvery(TIME_TICKS, area.width - area.left, LABEL_PX);
    const marks = Array.from({ length: TIME_TICKS }, (_, n) => begin + (span * n) / (TIME_TICKS - 1));
    const x = active === null ? 0 : xOf(times[active] ?? 0, area);
    return (
      <>
        <Grid area={area} values={scale} yOf={y} label={(value) => textOf(value)} />
        {marks.map((mark, n) =>
          n % stride === 0 ? (
            <text
              key={mark}
              x={xOf(mark, area)}
              y={area.height - 6}
              textAnchor={n === 0 ? 'start' : n === TIME_TICKS - 1 ? 'end' : 'middle'}
            >
              {span < 2 * DAY_MS ? format.time(mark) : format.date(mark)}
            </text>
          ) : null,
        )}
        {points.length > 0 && (
          <path d={`${path} V${y(low)} H${area.left} Z`} fill={chartColor(color)} opacity={0.12} />
        )}
        <path d={path} fill="none" stroke={chartColor(color)} strokeWidth={2} />
        {active !== null && (
          <>
            <line className="chart-grid" x1={x} x2={x} y1={area.top} y2={area.height - area.bottom} />
            <circle cx={x} cy={y(values[active] ?? 0)} r={4} fill={chartColor(color)} />
          </>
        )}
      </>
    );
  };

  return (
    <ChartFrame
      title={title}
      height={height}
      left={LEFT_PX}
      count={points.length}
      xOf={(index, area) => xOf(times[index] ?? 0, area)}
      indexAt={(x, area) =>
        nearest(times, begin + ((x - area.left) / (area.width - area.left - area.right)) * span)
      }
      draw={draw}
      tip={(at) => ({
        title: format.dateTime(times[at] ?? 0),
        rows: [
          { name: points[at]?.note ?? name, value: textOf(points[at]?.value ?? 0), color: chartColor(color) },
        ],
      })}
      head={[w.time, name]}
      table={() => points.map(({ at, value }) => [format.dateTime(at), textOf(value)])}
    />
  );
}

function nearest(times: number[], time: number): number {
  return times.reduce(
    (best, one, at) => (Math.abs(one - time) < Math.abs((times[best] ?? 0) - time) ? at : best),
    0,
  );
}
