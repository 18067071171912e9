// Shows the run on a terminal: redrawn in place on a TTY, otherwise a line every few seconds.
import type { Board, ChannelFigures } from './board.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import type { FindingKind } from '../../verify/observer/requests.ts';

export interface Screen {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
}

const REDRAW_MS = 250;
const LINE_MS = 3_000;
const COLUMNS = 120;
const ROWS = 40;
const BROKEN_SHOWN = 5;

const SHOWN: readonly FindingKind[] = ['accepted', 'resent', 'refused', 'paid', 'shipped', 'cancelled'];

/** Width in columns: Korean, Japanese and Chinese characters take two. */
const widthOf = (text: string): number =>
  Array.from(text).reduce(
    (sum, one) =>
      sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(one) ? 2 : 1),
    0,
  );

function fitted(text: string, width: number): string {
  let out = '';
  let used = 0;
  for (const one of text) {
    used += widthOf(one);
    if (used > width) return out;
    out += one;
  }
  return out;
}

const padded = (text: string, width: number): string => {
  const fit = fitted(text, width);
  return fit + ' '.repeat(width - widthOf(fit));
};

const HEAD = `${padded('channel', 28)}${SHOWN.map((kind) => kind.padStart(10)).join('')}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}`;

const rowOf = ({ name, counts, p50_ms, p99_ms }: ChannelFigures): string =>
  padded(name, 28) +
  SHOWN.map((kind) => String(counts[kind] ?? 0).padStart(10)).join('') +
  p50_ms.toFixed(1).padStart(9) +
  p99_ms.toFixed(1).padStart(9);

/** The whole screen, line by line. */
export function picture(title: string, board: Board, observer: Observer, columns: number): string[] {
  const channels = board.read();
  const events = channels.flatMap(({ last }) =>
    last.slice(0, 3).map(({ channel, kind, words }) => ({ channel, kind, words })),
  );
  return [
    title,
    '',
    HEAD,
    ...channels.map(rowOf),
    '',
    ...events.map(
      ({ channel, kind, words }) =>
        `  ${padded(observer.channel(channel).name, 26)}${kind.padEnd(12)}${words}`,
    ),
    '',
    observer.broken.size === 0 ? 'No violations.' : `${observer.broken.size} violations:`,
    ...[...observer.broken].slice(0, BROKEN_SHOWN).map((sentence) => `  ${sentence}`),
  ].map((line) => fitted(line, columns));
}

/** One line for a log. */
export const lineOf = (board: Board, observer: Observer): string =>
  `orders: ${SHOWN.map((kind) => `${kind} ${board.sum(kind)}`).join(', ')}; violations ${observer.broken.size}`;

/** Shows the run until the returned function is called. */
export function show(screen: Screen, title: () => string, board: Board, observer: Observer): () => void {
  if (!screen.isTTY) {
    const timer = setInterval(() => screen.write(`${lineOf(board, observer)}\n`), LINE_MS);
    return () => clearInterval(timer);
  }
  let drawn = 0;
  const draw = (): void => {
    // A terminal of unknown size reports 0 columns. Lines that do not fit could not be redrawn.
    const all = picture(title(), board, observer, (screen.columns || COLUMNS) - 1);
    const lines = all.slice(0, (screen.rows || ROWS) - 1);
    // Move up to the first line of the last screen, and clear from there.
    screen.write(`${drawn > 0 ? `\u001b[${drawn}A` : ''}\u001b[0J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  return () => {
    clearInterval(timer);
    draw();
  };
}
