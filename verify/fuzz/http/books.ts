// Checks the database from outside: every change within a lot must follow from a successful answer.
import type pg from 'pg';
import { parsedBody } from './document.ts';
import type { HttpFault } from './judge.ts';
import type { Case, HttpMessage } from './message.ts';
import type { RawAnswer, RawExchange } from '../../kit/raw-http.ts';

interface Marks {
  order_id: number;
  audit_id: number;
  movement_id: number;
  at: string;
}

/** Collects the changes that the answers of a lot confirm. */
export class Confirmed {
  readonly created = new Set<number>();
  /** Orders in any successful answer. */
  readonly touched = new Set<number>();
  /** Request ids of successes and of unanswered requests. */
  readonly requestIds = new Set<string>();
  /** Order numbers answered with 500: they belong to another channel (contract 4.3.3). */
  readonly taken: string[] = [];
  /** Requests that may have been executed without an answer. */
  unanswered = 0;

  add({ messages }: Case, { answers }: RawExchange): void {
    for (const { headers } of messages.slice(answers.length)) {
      this.unanswered += 1;
      for (const [name, value] of headers) if (name === 'X-Request-Id') this.requestIds.add(value);
    }
    for (const [place, answer] of answers.entries()) this.#addAnswer(answer, messages[place] ?? null);
  }

  #addAnswer({ status, headers, body }: RawAnswer, sent: HttpMessage | null): void {
    if (status === 500 && sent?.target.startsWith('/api/v1/orders'))
      this.taken.push(
        String((parsedBody(sent.body) as { order_number?: unknown } | undefined)?.order_number),
      );
    if (status >= 300) return;
    this.requestIds.add(headers.get('x-request-id') ?? '');
    const { data } = (parsedBody(body) ?? {}) as {
      data?: { id?: number; order_number?: string; channel_id?: number; results?: { id: number }[] };
    };
    if (typeof data?.id === 'number' && data.order_number !== undefined) {
      // A note or a return on an order is answered 201 too; only answers to administrators contain the channel.
      if (status === 201 && data.channel_id === undefined) this.created.add(data.id);
      this.touched.add(data.id);
    }
    for (const { id } of data?.results ?? []) this.touched.add(id);
  }
}

const MARKS = `select coalesce((select max(id) from orders), 0) as order_id, coalesce((select max(id) from audit), 0) as audit_id,
  coalesce((select max(id) from stock_movement), 0) as movement_id, clock_timestamp()::text as at`;

const ORDERS = 'select id, order_number from orders where id > $1';
const HISTORY = 'select distinct order_id as id from order_history where at >= $1::timestamptz';
/**
 * Excludes two actions whose requests may be refused. A failed sign-in is in the audit, but changes nothing. An export is
 * recorded before its first byte is sent; if the announced body of its request never arrives, it is still answered 422.
 */
const AUDIT = `select request_id, action, subject from audit
  where id > $1 and action not in ('session.sign_in_failed', 'order.export')`;
const MOVEMENTS = `select m.order_id, 'variant:' || v.code as subject from stock_movement m join variant v on v.id = m.variant_id where m.id > $1`;
const UNUSED = `select number from unnest($1::text[]) as number
  where not exists (select from orders where order_number = number)`;

/** Updated asynchronously, some time after the request. */
const USES = ['key_last_used_at', 'previous_key_last_used_at', 'last_used_at'];

/** A fingerprint of all data that requests can change, without usage counters and timestamps. */
const SNAPSHOT = `select concat_ws(' ',
  ${[
    'channel',
    'product',
    'variant',
    'mapping',
    'stock',
    'allocation',
    'exchange_rate',
    'common_code',
    'account',
  ]
    .map(
      (table) =>
        `(select count(*) || ':' || coalesce(sum(hashtextextended((to_jsonb(t) - '{${USES.join()}}'::text[])::text, 0)), 0) from ${table} t)`,
    )
    .join(', ')},
  (select count(*) || ':' || count(revoked_at) from admin_token), (select count(*) from account_session),
  ${['stock_movement', 'allocation_movement', 'audit'].map((table) => `(select max(id) from ${table})`).join(', ')},
  (select count(*) || ':' || max(id) || ':' || sum(status) from orders), (select count(*) from order_history),
  (select count(*) || ':' || sum(cancelled_quantity) from order_item)) as text`;

export class Books {
  readonly #pool: pg.Pool;
  #marks: Marks = { order_id: 0, audit_id: 0, movement_id: 0, at: '' };

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async mark(): Promise<void> {
    [this.#marks] = (await this.#pool.query<Marks>(MARKS)).rows as [Marks];
  }

  async snapshot(): Promise<string> {
    return (await this.#pool.query<{ text: string }>(SNAPSHOT)).rows[0]?.text ?? '';
  }

  async faults({ created, touched, requestIds, taken, unanswered }: Confirmed): Promise<HttpFault[]> {
    const faults: HttpFault[] = [];
    const addFault = (kind: string, found: readonly unknown[]): void => {
      if (found.length > 0)
        faults.push({ kind, text: `${kind}: ${JSON.stringify(found.slice(0, 5))} (${found.length})` });
    };
    const { order_id, audit_id, movement_id, at } = this.#marks;
    const orders = await this.#rows<{ id: number; order_number: string }>(ORDERS, order_id);
    const stored = new Set(orders.map(({ id }) => id));
    addFault(
      'an order that was answered with 201 is not stored',
      [...created].filter((id) => !stored.has(id)),
    );
    const audit = await this.#rows<{ request_id: string; action: string; subject: string }>(AUDIT, audit_id);
    // A request with an invalid id gets a generated id, which is unknown if there was no response.
    const mayBeOdd = (id: string): boolean => unanswered > 0 && !/^f\d+(?:\.\d+)?$/.test(id);
    addFault(
      'a change in the audit belongs to a refused request',
      audit.filter(({ request_id }) => !requestIds.has(request_id) && !mayBeOdd(request_id)),
    );
    // A request without a response may have been processed, so the orders of this lot cannot be checked.
    if (unanswered === 0) {
      addFault(
        'an order was stored without a 201',
        orders.filter(({ id }) => !created.has(id)),
      );
      const history = await this.#rows<{ id: number }>(HISTORY, at);
      addFault(
        'an order changed its status without a success',
        history.filter(({ id }) => !touched.has(id)),
      );
    }
    const subjects = new Set(audit.map(({ subject }) => subject));
    const movements = await this.#rows<{ order_id: number | null; subject: string }>(MOVEMENTS, movement_id);
    addFault(
      'stock changed without a success',
      movements.filter((moved) =>
        moved.order_id === null
          ? !subjects.has(moved.subject)
          : unanswered === 0 && !touched.has(moved.order_id),
      ),
    );
    addFault('500 for an order number that no channel has used', await this.#rows(UNUSED, taken));
    return faults;
  }

  async #rows<Row extends pg.QueryResultRow>(sql: string, value: unknown): Promise<Row[]> {
    return (await this.#pool.query<Row>(sql, [value])).rows;
  }
}
