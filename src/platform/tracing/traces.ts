// Traces of requests. Loaded only if a receiver is configured.
import { randomUUID } from 'node:crypto';
import type { TracingConfig } from '../config/tracing.ts';
import { VERSION } from '../config/version.ts';
import { SpanExporter, type ExporterOptions } from './exporter.ts';
import { newTraceId, SERVER, startSpan, type Span, type SpanAttributes } from './spans.ts';
import { isSampled, parseTraceparent } from './traceparent.ts';

/** Time limit for sending the remaining spans when the service stops. */
const FLUSH_MS = 2_000;

/** The data of a request after its response. */
interface Answered {
  id: string;
  method: string;
  route: string;
  status: number;
}

type Observer = Pick<ExporterOptions, 'onSent' | 'onDropped' | 'onAway' | 'onBack'>;

export class Traces {
  readonly #exporter: SpanExporter;
  readonly #sampling: TracingConfig['sampling'];

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

  end(span: Span, { id, method, route, status }: Answered, more: SpanAttributes): void {
    span.name = `${method} ${route}`;
    Object.assign(span.attributes, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'sluice.request_id': id,
      ...more,
    });
    span.isError = status >= 500;
    this.finish(span, performance.now());
  }

  finish(span: Span, ended_ms: number): void {
    span.ended_ms = ended_ms;
    this.#exporter.add(span);
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }
}
