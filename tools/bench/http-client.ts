// One keep-alive connection with minimal work: writes bytes, reads status and length. A generator that parses headers and
// creates objects would be the bottleneck of every run.
import { connect, type Socket } from 'node:net';

/**
 * Shared by all connections, because data is processed before the next read and not kept. Large, because the
 * stock list has tens of megabytes.
 */
const READ_BUFFER = Buffer.allocUnsafe(256 * 1024);
const HEAD_BYTES_MAX = 16 * 1024;
/** A chunk size line, or the line break after a chunk. */
const LINE_BYTES_MAX = 64;

export interface ConnectionEvents {
  answered(connection: Connection, status: number, bodyBytes: number): void;
  /** The connection cannot be used any more. */
  broken(connection: Connection, reason: string): void;
}

type State = 'idle' | 'head' | 'length' | 'chunk_size' | 'chunk' | 'chunk_end' | 'trailer' | 'closed';

export class Connection {
  readonly index: number;
  /** When the request was due. Used by measurements. */
  due = 0;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #state: State = 'idle';
  #status = 0;
  /** Remaining bytes of the body or of the chunk. */
  #left = 0;
  #bodyBytes = 0;
  /** The incomplete part of a head, or of a line between chunks. */
  #text = '';

  constructor(port: number, index: number, events: ConnectionEvents) {
    this.index = index;
    this.#events = events;
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (size, buffer) => {
          this.#read(buffer as Buffer, size);
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#break(error.message));
    this.#socket.on('close', () => this.#break('the connection was closed'));
  }

  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('error', reject);
    });
  }

  get isWaiting(): boolean {
    return this.#state !== 'idle' && this.#state !== 'closed';
  }

  /** Bytes received so far of the current body. */
  get partialBytes(): number {
    return this.isWaiting && this.#state !== 'head' ? this.#bodyBytes : 0;
  }

  /** `bytes`: the request, with one character per byte. */
  send(bytes: string): void {
    this.#state = 'head';
    this.#text = '';
    this.#socket.write(bytes, 'latin1');
  }

  close(): void {
    this.#state = 'closed';
    this.#socket.destroy();
  }

  #break(reason: string): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#socket.destroy();
    this.#events.broken(this, reason);
  }

  #read(buffer: Buffer, size: number): void {
    let at = 0;
    while (at < size) {
      if (this.#state === 'idle' || this.#state === 'closed') return this.#break('bytes without a request');
      if (this.#state === 'length' || this.#state === 'chunk') {
        const taken = Math.min(this.#left, size - at);
        this.#left -= taken;
        this.#bodyBytes += taken;
        at += taken;
        if (this.#left > 0) return;
        if (this.#state === 'length') this.#finish();
        else this.#state = 'chunk_end';
      } else {
        at = this.#readText(buffer, at, size);
      }
    }
  }

  /** Reads a head, or a line between chunks. Returns the position after it. */
  #readText(buffer: Buffer, at: number, size: number): number {
    const ending = this.#state === 'head' ? '\r\n\r\n' : '\r\n';
    const limit = this.#state === 'head' ? HEAD_BYTES_MAX : LINE_BYTES_MAX;
    const before = this.#text.length;
    this.#text += buffer.toString('latin1', at, Math.min(size, at + limit));
    const end = this.#text.indexOf(ending);
    if (end === -1) {
      if (this.#text.length >= limit) this.#break('an unterminated head or chunk');
      return size;
    }
    const text = this.#text.slice(0, end);
    this.#text = '';
    this.#take(text);
    return at + end + ending.length - before;
  }

  #take(text: string): void {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(text);
      case 'chunk_size':
        this.#left = Number.parseInt(text, 16);
        this.#state = this.#left === 0 ? 'trailer' : 'chunk';
        return;
      case 'chunk_end':
        this.#state = 'chunk_size';
        return;
      case 'trailer':
        return text === '' ? this.#finish() : undefined;
      case 'idle':
      case 'length':
      case 'chunk':
      case 'closed':
        throw new RangeError(`text in state ${this.#state}`);
    }
  }

  #takeHead(head: string): void {
    this.#status = Number(head.slice(9, 12));
    this.#bodyBytes = 0;
    const lower = head.toLowerCase();
    const at = lower.indexOf('\r\ncontent-length:');
    if (at !== -1) {
      this.#left = Number.parseInt(lower.slice(at + 17), 10);
      this.#state = 'length';
      if (this.#left === 0 || this.#status === 304) this.#finish();
    } else if (lower.includes('\r\ntransfer-encoding: chunked')) {
      this.#state = 'chunk_size';
    } else if (this.#status === 304 || this.#status === 204) {
      this.#finish();
    } else {
      this.#break(`an answer ${this.#status} without a length`);
    }
  }

  #finish(): void {
    this.#state = 'idle';
    this.#events.answered(this, this.#status, this.#bodyBytes);
  }
}
