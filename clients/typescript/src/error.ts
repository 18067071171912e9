// Every answer that is no success, as one class: both error shapes, the codes, and no answer at all.

export type SluiceErrorKind =
  | 'unauthorized'
  | 'not_found'
  | 'validation'
  | 'refused'
  | 'invalid_transition'
  | 'insufficient_stock'
  | 'rate_limited'
  | 'unavailable'
  | 'unexpected';

interface Details {
  /** 0: no answer. */
  status: number;
  kind: SluiceErrorKind;
  fields?: Record<string, string[]> | null;
  code?: string | null;
  reason?: string | null;
  currentStatus?: number | null;
  requestedStatus?: number | null;
  retryAfterMs?: number | null;
  requestId?: string | null;
}

/** The same request can succeed later, without anybody changing it. */
const RETRIABLE: readonly SluiceErrorKind[] = ['unavailable', 'rate_limited', 'insufficient_stock'];

export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** Of the answer; 0: there was none. */
  readonly status: number;
  readonly kind: SluiceErrorKind;
  /** What is wrong, by field: of a `validation` failure. */
  readonly fields: Record<string, string[]> | null;
  /** The code beside the text, where the service sent one. */
  readonly code: string | null;
  /** Why, for programs: the header `Sluice-Error`, such as `stock_insufficient`. null: the service did not answer it. */
  readonly reason: string | null;
  /** Of a refused report (409). */
  readonly currentStatus: number | null;
  readonly requestedStatus: number | null;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | null;
  /** Names the request in the logs of the service. */
  readonly requestId: string | null;
  /** True: the same request can succeed later. */
  readonly isRetriable: boolean;

  constructor(message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options);
    this.status = details.status;
    this.kind = details.kind;
    this.fields = details.fields ?? null;
    this.code = details.code ?? null;
    this.reason = details.reason ?? null;
    this.currentStatus = details.currentStatus ?? null;
    this.requestedStatus = details.requestedStatus ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.requestId = details.requestId ?? null;
    this.isRetriable = RETRIABLE.includes(details.kind);
  }
}

/** As much of the error bodies as is read; anything may be missing, for a proxy may have answered. */
interface ErrorBody {
  error?: string;
  message?: string;
  errors?: Record<string, string[]>;
  code?: string;
  current_status?: number;
  requested_status?: number;
}

export function errorOf(status: number, headers: Headers, json: unknown): SluiceError {
  const body: ErrorBody = typeof json === 'object' && json !== null ? json : {};
  return new SluiceError(body.error ?? body.message ?? `The service answered ${status}.`, {
    status,
    kind: kindOf(status, body),
    fields: body.errors ?? null,
    code: body.code ?? null,
    reason: headers.get('sluice-error'),
    currentStatus: body.current_status ?? null,
    requestedStatus: body.requested_status ?? null,
    retryAfterMs: retryAfterOf(headers.get('retry-after'), Date.now()),
    requestId: headers.get('x-request-id'),
  });
}

function kindOf(status: number, { code, errors }: ErrorBody): SluiceErrorKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 404:
      return 'not_found';
    case 409:
      return code === 'invalid_transition' || code === 'insufficient_stock' ? code : 'unexpected';
    case 422:
      return errors ? 'validation' : 'refused';
    case 429:
      return 'rate_limited';
    // It arrived too slowly and was not processed.
    case 408:
    // 502 and 504 come from a proxy that got no answer of the service.
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return 'unexpected';
  }
}

/** Seconds or a date, as RFC 9110 allows both; null when there is neither. */
function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
