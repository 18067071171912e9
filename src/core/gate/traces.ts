// Traces of commands: request → queue → batch → statements. Loaded only if a receiver is configured. A batch serves
// several requests: its span is a child of the first request's queue span and links to the queue spans of all
// requests, and each queue span links to the batch.
import { sqlState } from '../../platform/database/failures.ts';
import type { StatementWatch } from '../../platform/database/round-trip.ts';
import { CLIENT, INTERNAL, startSpan, type Span } from '../../platform/tracing/spans.ts';
import { Traces } from '../../platform/tracing/traces.ts';
import type { Command } from '../rules/commands.ts';
import type { BatchTrace, Verdict } from './batch-runner.ts';

/** The request of a command, and the span of its wait for a batch. */
interface Submitted {
  readonly request: Span;
  wait: Span;
}

/** Traces of requests that lead to the gate. */
export class GateTraces extends Traces {
  readonly #submitted = new WeakMap<Command, Submitted>();

  /** Called before the command is given to the gate. */
  submitted(command: Command, request: Span): void {
    if (command.kind === 'intake') request.attributes['sluice.order_lines'] = command.lines.length;
    this.#submitted.set(command, { request, wait: waitSpan('gate queue', request) });
  }

  batch(): BatchTrace {
    return new TracedBatch(this.#submitted, (span, ended_ms) => this.finish(span, ended_ms));
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
