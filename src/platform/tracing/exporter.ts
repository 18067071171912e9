// Sends spans to the receiver, one request at a time. Requests of clients never wait for it: the queue is limited, and
// spans that do not fit are dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { otlpBody, type SpanAttributes, type Span } from './spans.ts';

const QUEUE_SPANS_MAX = 8_192;
const REQUEST_SPANS_MAX = 512;
const SEND_EVERY_MS = 1_000;
/** Pauses between attempts at an unreachable receiver. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;
/** The same request may succeed later (OTLP specification, "Retryable Response Codes"). */
const RETRYABLE = [429, 502, 503, 504];
/** A larger difference means that the system clock was set. Correcting smaller ones would shift spans of a trace. */
const CLOCK_JUMP_MS = 500;

export interface ExporterOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeout_ms: number;
  resource: SpanAttributes;
  scope: { name: string; version: string };
  /** Time limit for sending the remaining spans at the stop. The rest is dropped. */
  flush_ms: number;
  onSent: (spans: number) => void;
  onDropped: (spans: number) => void;
  /** Called for the first failure after a success. */
  onAway: (reason: string) => void;
  onBack: () => void;
}

/** null: the receiver has accepted the spans. */
type ExportFailure = { reason: string; canRetry: boolean } | null;

export class SpanExporter {
  readonly #options: ExporterOptions;
  #queue: Span[] = [];
  #sending: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  /** Ends the pause between two attempts. */
  readonly #wake = new AbortController();
  #failures = 0;
  #isClosing = false;
  #offset_ms = clockOffset();

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#send(), SEND_EVERY_MS);
    this.#timer.unref();
  }

  add(span: Span): void {
    if (this.#isClosing || this.#queue.length >= QUEUE_SPANS_MAX) return this.#options.onDropped(1);
    this.#queue.push(span);
    if (this.#queue.length >= REQUEST_SPANS_MAX) this.#send();
  }

  /** Sends the remaining spans, for at most `flush_ms`. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    this.#wake.abort();
    const late = setTimeout(() => this.#stop.abort(), this.#options.flush_ms);
    this.#send();
    await this.#sending;
    clearTimeout(late);
    if (this.#queue.length > 0) this.#options.onDropped(this.#queue.splice(0).length);
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
      const spans = this.#queue.slice(0, REQUEST_SPANS_MAX);
      const failure = await this.#post(spans);
      this.#note(failure);
      if (failure?.canRetry !== true) {
        this.#queue.splice(0, spans.length);
        (failure ? this.#options.onDropped : this.#options.onSent)(spans.length);
      } else if (this.#isClosing) return;
      else {
        const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (this.#failures - 1));
        await sleep(pause, undefined, { ref: false, signal: this.#wake.signal }).catch(() => {});
      }
    }
  }

  #note(failure: ExportFailure): void {
    if (failure && this.#failures === 0) this.#options.onAway(failure.reason);
    if (!failure && this.#failures > 0) this.#options.onBack();
    this.#failures = failure ? this.#failures + 1 : 0;
  }

  async #post(spans: readonly Span[]): Promise<ExportFailure> {
    const { url, headers, timeout_ms, resource, scope } = this.#options;
    const offset = clockOffset();
    if (Math.abs(offset - this.#offset_ms) > CLOCK_JUMP_MS) this.#offset_ms = offset;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpBody(spans, resource, scope, this.#offset_ms),
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeout_ms)]),
      });
      // The body of the response is not read, because it could be endless.
      response.body?.cancel().catch(() => {});
      if (response.ok) return null;
      return { reason: `status ${response.status}`, canRetry: RETRYABLE.includes(response.status) };
    } catch (error) {
      return { reason: reasonOf(error), canRetry: true };
    }
  }
}

const clockOffset = (): number => Date.now() - performance.now();

/** The system error code or the name of the error. Never its message, which may contain text from the receiver. */
function reasonOf(error: unknown): string {
  const { name = 'Error', cause } = error instanceof Error ? error : {};
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : name;
}
