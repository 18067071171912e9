// HTTP as bytes on a socket, for requests that no HTTP client would send: writes the given bytes, and reads answers until
// there are enough or the connection is closed. The benchmark has its own reader (tools/bench/http-client.ts), which
// keeps only status and length: with this one the load generator would be the bottleneck.
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Names in lower case; a repeated one keeps the last value. */
  headers: Map<string, string>;
  body: Buffer;
}

export interface RawExchange {
  answers: RawAnswer[];
  /** `silent`: neither enough answers nor a close before the timeout; `garbled`: bytes that are not an HTTP answer. */
  end: 'answered' | 'closed' | 'silent' | 'garbled';
  ms: number;
  /** Bytes that could not be parsed as an answer. */
  rest: Buffer;
}

export interface Sending {
  /** Each is written in its own turn of the event loop, so that they arrive separately. */
  pieces: readonly Uint8Array[];
  /** The methods of the messages sent, in order: an answer to HEAD has no body. */
  methods: readonly string[];
  /** Close our side after the bytes, and read until the other side closes too. */
  closes: boolean;
  wait_ms: number;
}

const PAUSE_MS = 2;

/** Splits the bytes into this many pieces of equal size. */
export function piecesOf(bytes: Buffer, count: number): Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / count));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

interface Reader {
  data(chunk: Buffer): void;
  closed(): void;
}

export class RawConnection {
  readonly #origin: URL;
  #socket: Socket | null = null;
  #reader: Reader | null = null;

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  send({ pieces, methods, closes, wait_ms }: Sending): Promise<RawExchange> {
    const socket = (this.#socket ??= this.#open());
    const started = performance.now();
    return new Promise((resolve) => {
      const answers: RawAnswer[] = [];
      let received: Buffer = Buffer.alloc(0);
      const settle = (end: RawExchange['end']): void => {
        clearTimeout(timer);
        this.#reader = null;
        // Refused before everything was written: the remaining bytes must not precede the next request.
        const isReusable = end === 'answered' && !closes && writing.isOver && !answers.some(closesConnection);
        if (!isReusable) this.close();
        resolve({ answers, end, ms: performance.now() - started, rest: received });
      };
      const timer = setTimeout(() => settle('silent'), wait_ms);
      const data = (chunk: Buffer): void => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        for (;;) {
          const parsed = readAnswer(received, methods[answers.length] ?? 'GET');
          if (parsed === 'garbled') return settle('garbled');
          if (parsed === null) break;
          received = received.subarray(parsed.length);
          if (parsed.answer.status >= 200) answers.push(parsed.answer);
        }
        if (closes || answers.length < methods.length) return;
        settle(received.length > 0 || answers.length > methods.length ? 'garbled' : 'answered');
      };
      const closed = (): void => {
        // Without a length, the end of the connection is the end of the body (HTTP/1.0).
        const last = readAnswer(received, methods[answers.length] ?? 'GET', true);
        if (last !== null && last !== 'garbled') {
          answers.push(last.answer);
          received = received.subarray(last.length);
        }
        settle(received.length > 0 ? 'garbled' : 'closed');
      };
      this.#reader = { data, closed };
      const writing = writeIn(socket, pieces, closes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #open(): Socket {
    const socket = connect({ host: this.#origin.hostname, port: Number(this.#origin.port), noDelay: true });
    socket.on('data', (chunk) => this.#reader?.data(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#reader?.closed();
    });
    return socket;
  }
}

function writeIn(socket: Socket, pieces: readonly Uint8Array[], closes: boolean): { isOver: boolean } {
  const writing = { isOver: false };
  const write = (at: number): void => {
    const piece = pieces[at];
    if (socket.destroyed) return;
    if (piece) socket.write(piece);
    writing.isOver = at + 1 >= pieces.length;
    if (!writing.isOver) setTimeout(write, PAUSE_MS, at + 1);
    else if (closes) socket.end();
  };
  write(0);
  return writing;
}

const closesConnection = ({ headers }: RawAnswer): boolean =>
  headers.get('connection')?.toLowerCase() === 'close';

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) /;

type Parsed = { answer: RawAnswer; length: number } | 'garbled' | null;

/** null: incomplete. */
function readAnswer(bytes: Buffer, method: string, isEnded = false): Parsed {
  if (bytes.length === 0) return null;
  const split = bytes.indexOf('\r\n\r\n');
  if (split === -1) return 'HTTP/1.1'.startsWith(bytes.toString('latin1', 0, 8)) ? null : 'garbled';
  const [first = '', ...lines] = bytes.toString('latin1', 0, split).split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? 0);
  if (status === 0) return 'garbled';
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = split + 4;
  const isForHead = method === 'HEAD';
  // Bytes that are not HTTP are answered regardless of the method; whether that happened is known when the connection
  // ends.
  const mayHaveBody = !isForHead || (status === 422 && headers.get('connection') === 'close');
  const isBare = isForHead && isEnded && bytes.length === start;
  const hasBody = mayHaveBody && !isBare && status >= 200 && status !== 204 && status !== 304;
  if (!hasBody) return { answer: { status, headers, body: Buffer.alloc(0) }, length: start };
  if (headers.get('transfer-encoding') === 'chunked') {
    const read = readChunks(bytes, start);
    return read && { answer: { status, headers, body: read.body }, length: read.end };
  }
  const length = headers.get('content-length');
  if (length === undefined && !isEnded) return null;
  const end = length === undefined ? bytes.length : start + Number(length);
  if (bytes.length < end) return null;
  return { answer: { status, headers, body: bytes.subarray(start, end) }, length: end };
}

function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const next = line + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { body: Buffer.concat(parts), end: next };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = next;
  }
}
