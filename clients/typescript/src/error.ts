// One class for every failure: both error shapes of the API, the error codes, and requests without an answer.

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

/** The same request can succeed later without being changed. */
const RETRIABLE: readonly SluiceErrorKind[] = ['unavailable', 'rate_limited', 'insufficient_stock'];

export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** HTTP status; 0: no answer. */
  readonly status: number;
  readonly kind: SluiceErrorKind;
  /** Error texts by field, of a `validation` failure. */
  readonly fields: Record<string, string[]> | null;
  /** `code` in the body, if the service sent one. */
  readonly code: string | null;
  /** The header `Sluice-Error`, such as `stock_insufficient`. null: the answer did not come from the service. */
  readonly reason: string | null;
  /** Only for a refused report (409). */
  readonly currentStatus: number | null;
  readonly requestedStatus: number | null;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | null;
  /** Identifies the request in the logs of the service. */
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

/** Of a loop without `onError`: ignores failures that can pass, and throws all others, such as a wrong key. */
export const throwUnlessPassing = (error: unknown): void | Promise<void> => {
  if (!(error instanceof SluiceError) || !(error.isRetriable || error.kind === 'unexpected')) throw error;
};

/** The parts of error bodies that are read. Every field may be missing, because a proxy may have answered. */
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
    // The request arrived too slowly and was not processed.
    case 408:
    // 502 and 504 come from a proxy that got no answer from the service.
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return 'unexpected';
  }
}

/** RFC 9110 allows seconds or a date. null: the header has neither. */
function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
