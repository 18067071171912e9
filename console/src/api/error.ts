// Both error shapes of the API, and failures of the network, as one kind of error.

export class ApiError extends Error {
  /** 0: there was no answer at all. */
  readonly status: number;
  /** The machine's word for it, where the API gives one: stale, last_admin, insufficient_stock, … */
  readonly code: string | null;
  /** Texts by dotted path, of a 422. */
  readonly fields: Record<string, string[]>;
  /** The whole answer, for the few that carry more. */
  readonly body: unknown;

  constructor(status: number, message: string, body: unknown = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    const { code, errors } = (body ?? {}) as { code?: unknown; errors?: unknown };
    this.code = typeof code === 'string' ? code : null;
    this.fields = isFields(errors) ? errors : {};
    this.body = body;
  }

  get hasFields(): boolean {
    return Object.keys(this.fields).length > 0;
  }
}

/** The form of `errors` in a 422; anything else is no list of fields. */
const isFields = (value: unknown): value is Record<string, string[]> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What to tell a person about anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `codeOf(error) === 'stale'` */
export const codeOf = (error: unknown): string | null => (error instanceof ApiError ? error.code : null);
