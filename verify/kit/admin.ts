// A client of the admin API for programs: refusals are thrown as errors, lists are read to the last page.

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export class AdminError extends Error {}

export class Admin {
  readonly #origin: string;
  readonly #token: string;

  constructor(origin: string, token: string) {
    this.#origin = origin;
    this.#token = token;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#call<{ data: T }>('GET', path)).data;
  }

  async send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<T> {
    return (await this.#call<{ data: T }>(method, path, body)).data;
  }

  /** Every page of a list; `path` may have a query. */
  async list<T>(path: string): Promise<T[]> {
    const rows: T[] = [];
    const more = path.includes('?') ? '&' : '?';
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page<T> = await this.#call<Page<T>>('GET', `${path}${more}limit=500${after}`);
      rows.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return rows;
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.#origin}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new AdminError(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  }
}
