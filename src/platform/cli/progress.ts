// Progress of a long import: on a terminal one line that is rewritten, otherwise a new line from time to time.
import { formatCount, note } from './output.ts';

const NOTE_EVERY_ROWS = 50_000;
const REDRAW_EVERY_MS = 100;

export class ProgressLine {
  readonly #terminal = process.stderr.isTTY;
  readonly #noteEveryRows: number;
  #done = 0;
  #drawn_at_ms = 0;

  constructor(noteEveryRows = NOTE_EVERY_ROWS) {
    this.#noteEveryRows = noteEveryRows;
  }

  /** The next step: `read`, `check`, `write`. */
  begin(): void {
    this.#done = 0;
  }

  advance(step: string, rows: number): void {
    const before = this.#done;
    this.#done += rows;
    if (this.#terminal) this.#redraw(step);
    else if (Math.floor(before / this.#noteEveryRows) < Math.floor(this.#done / this.#noteEveryRows)) {
      note(`${step}: ${formatCount(this.#done)} rows`);
    }
  }

  clear(): void {
    if (this.#terminal && this.#drawn_at_ms > 0) process.stderr.write('\r\u001B[K');
  }

  #redraw(step: string): void {
    const now = Date.now();
    if (now - this.#drawn_at_ms < REDRAW_EVERY_MS) return;
    this.#drawn_at_ms = now;
    process.stderr.write(`\r\u001B[K${step}: ${formatCount(this.#done)} rows`);
  }
}
