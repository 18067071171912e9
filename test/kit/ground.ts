// A database for a gate without the service, set up by plain SQL. After each test the counters are reconciled with orders
// and ledger.
import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import pg from 'pg';
import type { Command, Outcome } from '../../src/core/rules/commands.ts';
import type { CoalescerLimits } from '../../src/platform/queues/coalescer.ts';
import { Gate, GATE_CONNECTIONS } from '../../src/core/gate/gate.ts';
import { HOT_CONNECTION_LIMITS } from '../../src/platform/database/connections.ts';
import { reconcile } from '../../src/core/reconcile/store.ts';
import { PipelinedConnection } from '../../src/platform/database/pipelined-connection.ts';
import { until } from '../../verify/kit/until.ts';
import { createDatabase, type TestDatabase } from '../../verify/kit/database.ts';
import { unique } from '../../verify/kit/fixtures.ts';
import { intake } from './batch-state.ts';

export interface Ground {
  database: TestDatabase;
  pool: pg.Pool;
  rows: <T extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<T[]>;
}

/** Call at the top of a test file. */
export async function startGround(): Promise<Ground> {
  const database = await createDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  // An idle connection may be killed by a test.
  pool.on('error', () => {});
  afterEach(async () => {
    const { ok, drift } = await reconcile(pool);
    assert.equal(ok, true, `counters drifted: ${JSON.stringify(drift, null, 1)}`);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  return { database, pool, rows: async (sql, values) => (await pool.query(sql, values)).rows };
}

/** Creates rows as an administrator would. */
export function settler({ rows }: Ground) {
  const idOf = async (sql: string, values: unknown[]): Promise<number> =>
    (await rows<{ id: number }>(sql, values))[0]?.id ?? 0;
  const make = {
    channel: (currency = 'KRW'): Promise<number> =>
      idOf(
        `insert into channel (name, currency_code, key_hash, key_sealed) values ($1, $2, $3, '') returning id`,
        [unique('channel '), currency, unique('hash')],
      ),
    /** `quantity` null: no stock row. */
    async variant(quantity: number | null, product = unique('P')): Promise<number> {
      const id = await idOf(
        `with p as (insert into product (code, name) values ($1, $2) returning id)
         insert into variant (product_id, code) select id, $3 from p returning id`,
        [product, `Name of ${product}`, `${product}-V`],
      );
      if (quantity === null) return id;
      await rows(
        `with s as (insert into stock (variant_id, quantity) values ($1, $2))
         insert into stock_movement (variant_id, delta, quantity_after, kind, actor) values ($1, $2, $2, 'set', 'test')`,
        [id, quantity],
      );
      return id;
    },
    async map(channel: number, variant: number, sku = unique('S')): Promise<string> {
      await rows(
        `insert into mapping values ($1, $2, $3)
         on conflict (channel_id, sku) do update set variant_id = excluded.variant_id`,
        [channel, sku, variant],
      );
      return sku;
    },
    async allocate(channel: number, variant: number, quantity: number, quota = 0): Promise<void> {
      await rows(
        `with a as (
           insert into allocation (variant_id, channel_id, allocated_qty, reserve_quota) values ($2, $1, $3, $4)
         ), m as (
           insert into allocation_movement (channel_id, variant_id, delta, allocated_after, actor)
           values ($1, $2, $3, $3, 'test')
         )
         update stock set allocated = allocated + $3 where variant_id = $2`,
        [channel, variant, quantity, quota],
      );
    },
    stock: async (variant: number) =>
      (
        await rows<Record<'quantity' | 'unshipped' | 'allocated' | 'backordered', number>>(
          'select quantity, unshipped, allocated, backordered from stock where variant_id = $1',
          [variant],
        )
      )[0],
    /** A channel with one mapped item. */
    async setting(quantity: number | null = 100) {
      const [channel, variant] = await Promise.all([make.channel(), make.variant(quantity)]);
      return { channel, variant, sku: await make.map(channel, variant) };
    },
  };
  return make;
}

export const GATE_NAME = 'sluice-gate-test';

interface GateOptions {
  limits?: CoalescerLimits;
  has_rivals?: boolean;
  patience_ms?: number;
  /** Another URL of the same database, such as a proxy. */
  url?: string;
  /** Timeout for an answer of the server. */
  answer_ms?: number;
  /** Lock timeout of one statement. */
  lock_ms?: number;
}

/** A busy machine may pause for seconds. A test of a timeout sets its own value. */
const PATIENT_MS = 60_000;

/** A separate gate, with a record of what its observer was notified of. */
export function openGate({ database }: Ground, options: GateOptions = {}) {
  const {
    limits,
    has_rivals = false,
    patience_ms = PATIENT_MS,
    url = database.url,
    answer_ms = PATIENT_MS,
    lock_ms = PATIENT_MS,
  } = options;
  const seen = {
    batches: [] as { size: number; seconds: number }[],
    outcomes: [] as string[],
    retries: [] as string[],
    failures: [] as unknown[],
  };
  const sessions = Array.from(
    { length: GATE_CONNECTIONS },
    () =>
      new PipelinedConnection(url, GATE_NAME, {
        limits: { ...HOT_CONNECTION_LIMITS, statement_ms: PATIENT_MS, answer_ms, lock_ms },
      }),
  );
  const session = sessions[0] as PipelinedConnection;
  const observer = {
    batch: (size: number, seconds: number) => void seen.batches.push({ size, seconds }),
    outcome: ({ kind }: Outcome) => void seen.outcomes.push(kind),
    retry: (reason: string) => void seen.retries.push(reason),
    failure: (error: unknown) => void seen.failures.push(error),
  };
  const gate = new Gate(sessions, observer, { patience_ms, has_rivals, ...(limits && { limits }) });
  after(() => Promise.all(sessions.map((one) => one.close())));
  const all = (commands: readonly Command[]) => Promise.all(commands.map((command) => gate.submit(command)));
  return { gate, session, seen, all };
}

/** One unit by default. */
export const orderFrom = (channel: number, sku: string, fields: Parameters<typeof intake>[1] = {}) =>
  intake([[sku, 1]], { channel_id: channel, order_number: unique('G'), ...fields });

/** The backend pid of the connection. */
export const backendOf = async (session: PipelinedConnection): Promise<number> => {
  const client = await session.get();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
};

/** Waits until the backend is outside of any transaction. */
export const untilIdle = ({ rows }: Ground, pid: number): Promise<void> =>
  until(async () => {
    const [found] = await rows<{ state: string }>('select state from pg_stat_activity where pid = $1', [pid]);
    return found?.state === 'idle';
  }, 'no transaction is left');
