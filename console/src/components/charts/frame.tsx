// Shared by all charts: size, reading values by mouse and keyboard, and the numbers as a table for screen readers.
import { useElementSize } from '@mantine/hooks';
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import './chart.css';

const CHART_COLORS = 8;
/** A palette colour that works in the light and the dark scheme. */
export const chartColor = (index: number): string => `var(--chart-${(index % CHART_COLORS) + 1})`;

export interface Area {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface FrameProps {
  title: string;
  height: number;
  /** Width of the labels on the left. */
  left: number;
  count: number;
  /** Position of a value in pixels. */
  xOf: (index: number, area: Area) => number;
  /** Index of the value nearest to a position. */
  indexAt: (x: number, area: Area) => number;
  draw: (area: Area, active: number | null) => ReactNode;
  tip: (index: number) => { title: string; rows: { name: string; value: string; color: string }[] };
  head: string[];
  table: () => string[][];
  legend?: ReactNode;
}

export function ChartFrame(props: FrameProps) {
  const { title, height, left, count, xOf, indexAt, draw, tip, legend } = props;
  const w = useWords(common);
  const { ref, width } = useElementSize();
  const [active, setActive] = useState<number | null>(null);
  const area = { width, height, left, right: 8, top: 8, bottom: 24 };

  const point = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setActive(clamp(indexAt(x, area), count));
  };
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive((now) => clamp((now ?? count - 1) + (now === null ? 0 : step), count));
  };
  const shown = active === null || count === 0 ? null : tip(Math.min(active, count - 1));
  const x = active === null ? 0 : xOf(active, area);
  return (
    <figure className="chart">
      {/* Focusable, so that the values can be read with the arrow keys. */}
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={ref}
        className="chart-plot"
        role="group"
        tabIndex={0}
        aria-label={`${title}. ${w.chartHint}`}
        onPointerMove={point}
        onPointerLeave={() => setActive(null)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setActive(count - 1)}
        onBlur={() => setActive(null)}
        onKeyDown={move}
      >
        <svg height={height} viewBox={`0 0 ${Math.max(width, 1)} ${height}`} aria-hidden>
          {width > left + area.right && draw(area, active)}
        </svg>
      </div>
      {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      {shown && (
        <div
          className="chart-tip"
          style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}
          aria-hidden
        >
          <div className="chart-tip-title">{shown.title}</div>
          {shown.rows.map((row) => (
            <div key={row.name} className="chart-tip-row">
              <span className="chart-tip-name">
                <span className="chart-swatch" style={{ background: row.color }} />
                {row.name}
              </span>
              <b>{row.value}</b>
            </div>
          ))}
        </div>
      )}
      <div className="only-read" aria-live="polite">
        {shown && `${shown.title}: ${shown.rows.map((row) => `${row.name} ${row.value}`).join(', ')}`}
      </div>
      {legend}
      <HiddenTable title={w.numbers(title)} head={props.head} rows={props.table()} />
    </figure>
  );
}

const clamp = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));

/** The same numbers for screen readers. */
const HiddenTable = ({ title, head, rows }: { title: string; head: string[]; rows: string[][] }) => (
  <div className="only-read">
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          {head.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {/* Two times may have the same text: the index is the key. */}
        {/* oxlint-disable react/no-array-index-key */}
        {rows.map(([name = '', ...values], row) => (
          <tr key={row}>
            <th scope="row">{name}</th>
            {values.map((value, column) => (
              <td key={column}>{value}</td>
            ))}
          </tr>
        ))}
        {/* oxlint-enable react/no-array-index-key */}
      </tbody>
    </table>
  </div>
);

/** Horizontal lines with their values. */
export const Grid = ({
  area,
  values,
  yOf,
  label,
}: {
  area: Area;
  values: number[];
  yOf: (value: number) => number;
  label: (value: number) => string;
}) => (
  <g>
    {values.map((value) => (
      <g key={value}>
        <line
          className="chart-grid"
          x1={area.left}
          x2={area.width - area.right}
          y1={yOf(value)}
          y2={yOf(value)}
        />
        <text x={area.left - 8} y={yOf(value)} dy="0.32em" textAnchor="end">
          {label(value)}
        </text>
      </g>
    ))}
  </g>
);
