// The header `traceparent` (W3C Trace Context), and which requests are traced.
import type { Sampling } from '../config/tracing.ts';
import type { SpanContext } from './spans.ts';

export interface RemoteParent extends SpanContext {
  /** The sender traces the request. */
  readonly isSampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED_FLAG = 1;

/** null: the header is absent or invalid, and a new trace begins. */
export function parseTraceparent(header: string | string[] | undefined): RemoteParent | null {
  if (typeof header !== 'string') return null;
  const [, version, trace_id = '', span_id = '', flags = '', rest] = FORM.exec(header.trim()) ?? [];
  // Later versions may have more fields; version 255 is not valid.
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return null;
  return { trace_id, span_id, isSampled: (Number.parseInt(flags, 16) & SAMPLED_FLAG) === SAMPLED_FLAG };
}

/** The last 7 bytes of a trace id are random (W3C level 2). 6 of them fit into a JavaScript number. */
const RANDOM_DIGITS = 12;
const RANDOM_MAX = 2 ** (RANDOM_DIGITS * 4);

/** A trace id gives the same result in every process. */
export function isSampled(
  { by_parent, ratio }: Sampling,
  traceId: string,
  parent: RemoteParent | null,
): boolean {
  if (by_parent && parent) return parent.isSampled;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < ratio * RANDOM_MAX;
}
