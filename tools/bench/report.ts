// The report on stdout, and the one for --json.
import { cpus } from 'node:os';
import type { Figure, Outcome } from './summary.ts';
import type { RunName, Target } from './targets.ts';

export interface Report {
  outcomes: readonly Outcome[];
  /** target name → why it could not be measured */
  unsupported: ReadonlyMap<string, string>;
  figures: ReadonlyMap<RunName, Figure>;
  faults: readonly string[];
  postgres: string;
}

export function asText(report: Report): string {
  const parts = [targetTable(report), figureTable(report)];
  parts.push(
    report.faults.length === 0
      ? 'The run is valid.'
      : `The run is INVALID:\n${report.faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
  return parts.filter((part) => part !== '').join('\n\n');
}

export function asJson({ outcomes, unsupported, figures, faults, postgres }: Report): object {
  const isRatio = ({ target }: Outcome) => !/_ms(_|$)|_mb$/.test(target.name);
  const single = outcomes.filter((outcome) => !isRatio(outcome));
  const [cpu] = cpus();
  return {
    ratios: Object.fromEntries(outcomes.filter(isRatio).map(({ target, median }) => [target.name, median])),
    figures: {
      ...Object.fromEntries(single.map(({ target, median }) => [target.name, median])),
      targets: Object.fromEntries(
        outcomes.map(({ target, median, min, max, met }) => [
          target.name,
          { median, min, max, target: aimOf(target), met },
        ]),
      ),
      runs: Object.fromEntries(figures),
    },
    unsupported: Object.fromEntries(unsupported),
    machine: { cpus: cpus().length, model: cpu?.model ?? '', node: process.version, postgres },
    valid: faults.length === 0,
    faults,
  };
}

function targetTable({ outcomes, unsupported }: Report): string {
  const rows = outcomes.map(({ target, median, min, max, met }) => [
    target.name,
    short(median),
    min === max ? '' : `${short(min)} – ${short(max)}`,
    aimOf(target) ?? '',
    target.aim === null ? '' : met ? '✓' : '✗',
  ]);
  for (const [name, reason] of unsupported) rows.push([name, 'not supported', reason, '', '✗']);
  return table(['name', 'median', 'spread', 'target', ''], rows);
}

const aimOf = ({ aim }: Target): string | null => aim && `${aim.bound} ${aim.value}`;

function figureTable({ figures }: Report): string {
  if (figures.size === 0) return '';
  const rows = [...figures].map(([name, { ops_s, p50_ms, p99_ms, cpu_us, stolen }]) => [
    name,
    short(ops_s.median),
    `${short(ops_s.min)} – ${short(ops_s.max)}`,
    short(p50_ms),
    short(p99_ms),
    ...[cpu_us.generator, cpu_us.service, cpu_us.database].map((us) => (us === null ? '–' : us.toFixed(0))),
    stolen === null ? '–' : percent(stolen),
  ]);
  const heads = [
    'run',
    'per second',
    'spread',
    'p50 ms',
    'p99 ms',
    'CPU µs: generator',
    'service',
    'database',
    'stolen',
  ];
  return table(heads, rows);
}

export const percent = (share: number): string => `${Math.round(100 * share)} %`;

const short = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** The first column is left-aligned, the others right-aligned. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(heads), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
