// Traces of requests: request → queue → batch → statements. Loaded only if a receiver is configured. A batch serves
// several requests: its span is a child of the first request's queue span and links to the queue spans of all
// requests, and each queue span links to the batch.
import { randomUUID } from 'node:crypto';
import type { TracingConfig } from '../config/tracing.ts';
import type { Command } from '../../core/rules/commands.ts';
import type { BatchTrace, Verdict } from '../../core/gate/batch-runner.ts';
import { sqlState } from '../database/failures.ts';
import type { StatementWatch } from '../database/round-trip.ts';
import { VERSION } from '../config/version.ts';
import { SpanExporter, type ExporterOptions } from './exporter.ts';
import { CLIENT, INTERNAL, newTraceId, SERVER, startSpan, type Span } from './spans.ts';
import { isSampled, parseTraceparent } from './traceparent.ts';

/** Time limit for sending the remaining spans when the service stops. */
const FLUSH_MS = 2_000;

/** The data of a request after its response. */
interface Answered {
  id: string;
  method: string;
  route: string;
  status: number;
  channel_id: number | null;
}

/** The request of a command, and the span of its wait for a batch. */
interface Submitted {
  readonly request: Span;
  wait: Span;
}

type Observer = Pick<ExporterOptions, 'onSent' | 'onDropped' | 'onAway' | 'onBack'>;

export class Traces {
  readonly #exporter: SpanExporter;
  readonly #sampling: TracingConfig['sampling'];
  readonly #submitted = new WeakMap<Command, Submitted>();

  constructor({ url, headers, timeout_ms, resource, sampling }: TracingConfig, observer: Observer) {
    this.#sampling = sampling;
    this.#exporter = new SpanExporter({
      url,
      headers,
      timeout_ms,
      resource: {
        'service.version': VERSION,
        'service.instance.id': randomUUID(),
        'process.pid': process.pid,
        ...resource,
      },
      scope: { name: 'sluice', version: VERSION },
      flush_ms: FLUSH_MS,
      ...observer,
    });
  }

  /** null: the request is not traced. */
  begin(traceparent: string | string[] | undefined): Span | null {
    const parent = parseTraceparent(traceparent);
    const trace_id = parent?.trace_id ?? newTraceId();
    if (!isSampled(this.#sampling, trace_id, parent)) return null;
    return startSpan({ name: 'request', kind: SERVER, trace_id, parent_id: parent?.span_id ?? null });
  }

  end(span: Span, { id, method, route, status, channel_id }: Answered): void {
    span.name = `${method} ${route}`;
    Object.assign(span.attributes, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'sluice.request_id': id,
      ...(channel_id === null ? {} : { 'sluice.channel_id': channel_id }),
    });
    span.isError = status >= 500;
    this.#finish(span, performance.now());
  }

  /** Called before the command is given to the gate. */
  submitted(command: Command, request: Span): void {
    if (command.kind === 'intake') request.attributes['sluice.order_lines'] = command.lines.length;
    this.#submitted.set(command, { request, wait: waitSpan('gate queue', request) });
  }

  batch(): BatchTrace {
    return new TracedBatch(this.#submitted, (span, ended_ms) => this.#finish(span, ended_ms));
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }

  #finish(span: Span, ended_ms: number): void {
    span.ended_ms = ended_ms;
    this.#exporter.add(span);
  }
}

const waitSpan = (name: string, { trace_id, span_id }: Span): Span =>
  startSpan({ name, kind: INTERNAL, trace_id, parent_id: span_id });

class TracedBatch implements BatchTrace {
  readonly #submitted: WeakMap<Command, Submitted>;
  readonly #finish: (span: Span, ended_ms: number) => void;
  #commands: readonly Command[] = [];
  /** null: no request of the batch is traced. */
  #span: Span | null = null;

  constructor(submitted: WeakMap<Command, Submitted>, finish: (span: Span, ended_ms: number) => void) {
    this.#submitted = submitted;
    this.#finish = finish;
  }

  took(commands: readonly Command[]): readonly Command[] {
    const waits = commands.flatMap((command) => this.#submitted.get(command)?.wait ?? []);
    const [first] = waits;
    if (!first) return commands;
    const { trace_id, span_id: parent_id } = first;
    const span = startSpan({ name: 'gate batch', kind: INTERNAL, trace_id, parent_id });
    for (const wait of waits) {
      span.links.push(wait);
      wait.links.push(span);
      this.#finish(wait, span.started_ms);
    }
    this.#commands = commands;
    this.#span = span;
    return commands;
  }

  statements(): StatementWatch | undefined {
    const batch = this.#span;
    if (!batch) return undefined;
    let started_ms = performance.now();
    /** The statements are sent together and answered in order, so each one takes the time since the previous answer. */
    const answered = (name: string, error: unknown): void => {
      const { trace_id, span_id: parent_id } = batch;
      const span = startSpan({ name: `statement ${name}`, kind: CLIENT, trace_id, parent_id, started_ms });
      span.attributes['db.system.name'] = 'postgresql';
      span.attributes['db.operation.name'] = name;
      const code = sqlState(error);
      if (code !== undefined) span.attributes['db.response.status_code'] = code;
      span.isError = error !== null;
      started_ms = performance.now();
      this.#finish(span, started_ms);
    };
    return answered;
  }

  retried(reason: string): void {
    this.#span?.events.push({ name: 'retry', at_ms: performance.now(), attributes: { reason } });
  }

  ended(verdicts: readonly Verdict[]): void {
    const span = this.#span;
    if (!span) return;
    let held = 0;
    for (const [index, verdict] of verdicts.entries()) {
      const command = this.#commands[index];
      const submitted = command && this.#submitted.get(command);
      if ('held' in verdict) {
        held += 1;
        if (submitted) submitted.wait = waitSpan('gate held row', submitted.request);
      } else {
        if ('error' in verdict) span.isError = true;
        if (submitted)
          submitted.request.attributes['sluice.outcome'] =
            'result' in verdict ? verdict.result.kind : 'failed';
      }
    }
    Object.assign(span.attributes, {
      'sluice.batch.commands': this.#commands.length,
      'sluice.batch.held_commands': held,
      'sluice.batch.skus': skusOf(this.#commands),
    });
    this.#finish(span, performance.now());
  }
}

/** Number of different SKUs of the orders. */
const skusOf = (commands: readonly Command[]): number =>
  new Set(
    commands.flatMap((command) =>
      command.kind === 'intake' ? command.lines.map(({ sku }) => `${command.channel_id} ${sku}`) : [],
    ),
  ).size;
