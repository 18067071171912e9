import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { chartColor, ChartFrame, Grid, type Area } from './frame.tsx';
import { labelEvery, ticks } from './scale.ts';

interface StackedBarsProps {
  title: string;
  /** One short text per bar, for the axis. */
  labels: string[];
  /** One full text per bar, for the tooltip and the table. Default: `labels`. */
  fullLabels?: string[];
  /** Column heading of the bars in the table ("Hour"). */
  axis: string;
  series: { name: string; values: number[] }[];
  height?: number;
}

const LABEL_PX = 58;
const LEFT_PX = 44;
const GAP = 0.28;
const TICKS = 4;

/** Counts over time, stacked by series. */
export function StackedBars({
  title,
  labels,
  fullLabels = labels,
  axis,
  series,
  height = 220,
}: StackedBarsProps) {
  const w = useWords(common);
  const format = useFormat();
  const count = labels.length;
  const totals = labels.map((_, at) => series.reduce((sum, one) => sum + (one.values[at] ?? 0), 0));
  const scale = ticks(0, Math.max(1, ...totals), TICKS, true);
  const top = scale.at(-1) ?? 1;

  const bandOf = (area: Area) => (area.width - area.left - area.right) / Math.max(1, count);
  const yOf = (area: Area) => (value: number) =>
    area.height - area.bottom - (value / top) * (area.height - area.bottom - area.top);

  const draw = (area: Area, active: number | null) => {
    const band = bandOf(area);
    const y = yOf(area);
    const every = labelEvery(count, area.width - area.left, LABEL_PX);
    return (
      <>
        <Grid area={area} values={scale} yOf={y} label={format.integer} />
        {active !== null && (
          <rect
            className="chart-cursor"
            x={area.left + active * band}
            width={band}
            y={area.top}
            height={area.height - area.top - area.bottom}
          />
        )}
        {labels.map((label, at) => {
          const x = area.left + at * band + (band * GAP) / 2;
          let below = 0;
          return (
            // Bars have no key other than their index.
            // oxlint-disable-next-line react/no-array-index-key
            <g key={at}>
              {series.map((one, index) => {
                const value = one.values[at] ?? 0;
                if (value === 0) return null;
                const from = below;
                below += value;
                return (
                  <rect
                    key={one.name}
                    x={x}
                    width={band * (1 - GAP)}
                    y={y(below)}
                    height={Math.max(0.5, y(from) - y(below))}
                    fill={chartColor(index)}
                    className="chart-part"
                  />
                );
              })}
              {at % every === 0 && (
                <text x={x + (band * (1 - GAP)) / 2} y={area.height - 6} textAnchor="middle">
                  {label}
                </text>
              )}
            </g>
          );
        })}
      </>
    );
  };

  return (
    <ChartFrame
      title={title}
      height={height}
      left={LEFT_PX}
      count={count}
      xOf={(index, area) => area.left + (index + 0.5) * bandOf(area)}
      indexAt={(x, area) => Math.floor((x - area.left) / bandOf(area))}
      draw={draw}
      tip={(at) => ({
        title: `${fullLabels[at] ?? ''} · ${format.integer(totals[at] ?? 0)}`,
        rows: series
          .map((one, index) => ({ name: one.name, value: one.values[at] ?? 0, color: chartColor(index) }))
          .filter(({ value }) => value > 0)
          .map((row) => ({ ...row, value: format.integer(row.value) })),
      })}
      head={[axis, ...series.map(({ name }) => name), w.total]}
      table={() =>
        fullLabels.map((label, at) => [
          label,
          ...series.map(({ values }) => format.integer(values[at] ?? 0)),
          format.integer(totals[at] ?? 0),
        ])
      }
      legend={
        <ul className="chart-key">
          {series.map(({ name }, index) => (
            <li key={name}>
              <span className="chart-swatch" style={{ background: chartColor(index) }} />
              {name}
            </li>
          ))}
        </ul>
      }
    />
  );
}
