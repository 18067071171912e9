// One error class for both error shapes of the API and for network failures. Screens decide on `code` and `details`; texts
// of the API are only shown.
import { fieldTexts, type Fault } from './faults.ts';

export class ApiError extends Error {
  /** HTTP status; 0: no answer. */
  readonly status: number;
  /** Such as stale, last_admin, insufficient_stock. null: no answer from the API. */
  readonly code: string | null;
  /** The facts; which ones depends on the code. */
  readonly details: Record<string, unknown>;
  /** Error texts of a 422 by field path, with dots. */
  readonly fields: Record<string, string[]>;
  /** The whole answer, for the few errors with additional fields. */
  readonly body: unknown;

  constructor(status: number, message: string, body: unknown = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    const { code, details, errors } = (body ?? {}) as Partial<Record<'code' | 'details' | 'errors', unknown>>;
    this.code = typeof code === 'string' ? code : null;
    this.details = isRecord(details) ? details : {};
    const said = isRecord(errors) ? (errors as Record<string, string[]>) : {};
    const { faults } = this.details;
    this.fields = Array.isArray(faults) ? fieldTexts(faults as Fault[], said) : said;
    this.body = body;
  }

  get hasFields(): boolean {
    return Object.keys(this.fields).length > 0;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The message to show for any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was asked for does not exist, or no longer. */
export const isGone = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** `codeOf(error) === 'stale'` */
export const codeOf = (error: unknown): string | null => (error instanceof ApiError ? error.code : null);
