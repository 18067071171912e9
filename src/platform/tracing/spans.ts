// Spans, and their format for the receiver: OTLP as JSON (opentelemetry-proto, trace/v1). SpanAttributes contain ids, route
// patterns, counts and names of statements, never values of requests.
import { randomBytes } from 'node:crypto';

/** Identifies a span for its children and for links. */
export interface SpanContext {
  readonly trace_id: string;
  readonly span_id: string;
}

export const SERVER = 2;
export const INTERNAL = 1;
export const CLIENT = 3;

type AttributeValue = string | number | boolean;
export type SpanAttributes = Record<string, AttributeValue>;

export interface Span extends SpanContext {
  readonly parent_id: string | null;
  name: string;
  readonly kind: number;
  /** By `performance.now()`, like the other times. */
  readonly started_ms: number;
  ended_ms: number;
  readonly attributes: SpanAttributes;
  readonly links: SpanContext[];
  readonly events: { name: string; at_ms: number; attributes: SpanAttributes }[];
  isError: boolean;
}

const POOL_BYTES = 4_096;
const SPAN_ID_BYTES = 8;
const TRACE_ID_BYTES = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** Takes the bytes from a pool: calling `randomBytes` for each id would cost more than the rest of a span. */
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

export const newTraceId = (): string => randomHex(TRACE_ID_BYTES);

interface NewSpan {
  name: string;
  kind: number;
  trace_id: string;
  parent_id: string | null;
  started_ms?: number;
  attributes?: SpanAttributes;
}

export const startSpan = ({
  name,
  kind,
  trace_id,
  parent_id,
  started_ms = performance.now(),
  attributes = {},
}: NewSpan): Span => ({
  trace_id,
  span_id: randomHex(SPAN_ID_BYTES),
  parent_id,
  name,
  kind,
  started_ms,
  ended_ms: started_ms,
  attributes,
  links: [],
  events: [],
  isError: false,
});

/** The body of one request to the receiver. `offset_ms`: difference between Unix time and the times of the spans. */
export const otlpBody = (
  spans: readonly Span[],
  resource: SpanAttributes,
  scope: { name: string; version: string },
  offset_ms: number,
): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map((span) => otlpSpan(span, offset_ms)) }],
      },
    ],
  });

const STATUS_ERROR = 2;

const otlpSpan = (span: Span, offset_ms: number): object => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_id === null ? {} : { parentSpanId: span.parent_id }),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: nanoseconds(span.started_ms + offset_ms),
  endTimeUnixNano: nanoseconds(span.ended_ms + offset_ms),
  attributes: attributesOf(span.attributes),
  events: span.events.map(({ name, at_ms, attributes }) => ({
    name,
    timeUnixNano: nanoseconds(at_ms + offset_ms),
    attributes: attributesOf(attributes),
  })),
  links: span.links.map(({ trace_id, span_id }) => ({ traceId: trace_id, spanId: span_id })),
  status: span.isError ? { code: STATUS_ERROR } : {},
});

/** Nanoseconds as text, with microsecond resolution, because a JavaScript number is not precise enough. */
const nanoseconds = (unix_ms: number): string => `${Math.round(unix_ms * 1000)}000`;

const attributesOf = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

function valueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
