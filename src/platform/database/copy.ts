// COPY … TO STDOUT and COPY … FROM STDIN as streams with backpressure, over the driver's own connection.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type pg from 'pg';

// Members of the driver's connection that are missing in its types.
declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
    sendCopyFail(message: string): void;
  }
}

const BLOCK_BYTES = 256 * 1024;
const rowsOf = (tag: string): number => Number(/^COPY (\d+)/.exec(tag)?.[1] ?? 0);

/** Rows as text, in chunks. `rowCount` is set at the end. */
class CopyOut extends Readable {
  rowCount = 0;
  readonly #text: string;
  #connection: pg.Connection | undefined;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;

  constructor(text: string) {
    super({ highWaterMark: BLOCK_BYTES });
    this.#text = text;
  }

  override _read(): void {
    this.#connection?.stream.resume();
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  /** One row. Copied, because the driver reuses its buffer. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#filled + chunk.length > BLOCK_BYTES) this.#pushBlock();
    if (chunk.length > BLOCK_BYTES) this.#push(Buffer.from(chunk));
    else this.#filled += chunk.copy(this.#block, this.#filled);
  }

  #pushBlock(): void {
    if (this.#filled === 0) return;
    const full = this.#block.subarray(0, this.#filled);
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#filled = 0;
    this.#push(full);
  }

  #push(block: Buffer): void {
    if (!this.push(block)) this.#connection?.stream.pause();
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rowCount = rowsOf(text);
    this.#pushBlock();
  }

  handleReadyForQuery(): void {
    this.#connection?.stream.resume();
    this.push(null);
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  // The driver calls these for all statements.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

export const copyOut = (client: pg.Client, text: string): CopyOut => client.query(new CopyOut(text));

class CopyIn {
  readonly rowCount: Promise<number>;
  readonly #text: string;
  readonly #source: AsyncIterable<Buffer>;
  readonly #failed = new AbortController();
  #sourceError: unknown;
  #rows = 0;
  #resolve: (rows: number) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(text: string, source: AsyncIterable<Buffer>) {
    this.#text = text;
    this.#source = source;
    this.rowCount = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: pg.Connection): void {
    void this.#send(connection);
  }

  async #send(connection: pg.Connection): Promise<void> {
    const { signal } = this.#failed;
    try {
      for await (const chunk of this.#source) {
        if (signal.aborted) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal });
      }
      connection.endCopyFrom();
    } catch (error) {
      if (signal.aborted) return;
      this.#sourceError = error;
      connection.sendCopyFail('the source failed');
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = rowsOf(text);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#rows);
  }

  handleError(error: Error): void {
    this.#failed.abort();
    this.#reject(this.#sourceError ?? error);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** Resolves to the number of rows; rejects with the error of the source if that was the cause. */
export const copyIn = (client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> =>
  client.query(new CopyIn(text, source)).rowCount;
