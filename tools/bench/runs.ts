// Each kind of run as a job for the load generator.
import { COPY, MAIN, VARIANTS, type Aim, type Baselines, type Bench } from './bench.ts';
import { announceStock, storeOrders } from './catalogue.ts';
import { withClient } from './database.ts';
import type { HeldChannels } from './held-channels.ts';
import type { Job, LoadResult, RequestPlan, SkuChoice } from './job.ts';
import type { RoundRun, RunName } from './targets.ts';

const CONNECTIONS = 64;
const CONNECTIONS_MANY = 256;
/** The maximum number of requests in flight in an open loop; others queue in the generator. */
const CONNECTIONS_OPEN = 1_000;
/** rowlist is bound to one thread; more requests would only queue and delay the end of the run. */
const CONNECTIONS_ROWLIST = 2;
const OVERLOAD = 2;

const ORDER_BYTES_MIN = 100;
/** Stored orders are provided for this many reports per second. A faster run ends when they are used up. */
const WALK_REPORTS_S = { service: 16_000, rowlock: 4_000 };
/** Stored before the first round; some of them are resent. */
export const STORED_ORDERS = 20_000;
const RESEND_ORDERS = 5_000;

export interface Rig {
  bench: Bench;
  baselines: Baselines;
  /** The best pool sizes for rowlock on this machine. */
  pool: { hot: number; uniform: number };
  /** prefix of the orders that are stored from the start */
  stored_prefix: string;
  /** This field and the next: null unless they are measured. */
  held: HeldChannels | null;
  one_worker: Aim | null;
}

export type Results = Map<RunName, LoadResult>;

/** A run that is impossible, with the reason as its message. */
export class Unsupported extends Error {}

const service = ({ bench }: Rig): Aim => bench.service;

function oneWorker({ one_worker }: Rig): Aim {
  if (!one_worker) throw new RangeError('the service with one worker was not started');
  return one_worker;
}

/** A closed loop against one target; `rest` overrides the defaults. */
export function jobOf(rig: Pick<Rig, 'bench'>, aim: Aim, request: RequestPlan, rest: Partial<Job> = {}): Job {
  const { options, database, channel } = rig.bench;
  return {
    port: aim.port,
    keys: [channel.key],
    signing_secret: null,
    request,
    load: { kind: 'closed', connections: CONNECTIONS },
    change: null,
    warmup_s: options.warmup_s,
    seconds: options.seconds,
    answers_min: 1,
    allowed: [200],
    counted: 200,
    body_bytes_min: 2,
    body_bytes: null,
    drain: true,
    pids: { service: aim.pid, postmaster: database.pid },
    ...rest,
  };
}

const created = { allowed: [201], counted: 201, body_bytes_min: ORDER_BYTES_MIN };
const refused = { allowed: [422], counted: 422, body_bytes_min: 20 };
const many = { load: { kind: 'closed', connections: CONNECTIONS_MANY } } as const;
const one = { load: { kind: 'closed', connections: 1 } } as const;
export const SERVICE_ORDERS = '/api/v1/orders';

const orders = ({ bench }: Pick<Rig, 'bench'>, skus: SkuChoice, path = SERVICE_ORDERS): RequestPlan => ({
  kind: 'order',
  path,
  prefix: bench.nextPrefix(),
  skus,
  variants: VARIANTS,
});

/** Hot intake on any service; `variants` determines which SKUs are hot. */
export const hotOrders = (bench: Bench, aim: Aim, variants = VARIANTS, rest: Partial<Job> = {}): Job =>
  jobOf({ bench }, aim, { ...orders({ bench }, 'hot'), variants } as RequestPlan, { ...created, ...rest });

type MakeJob = (rig: Rig, results: Results) => Job | Promise<Job>;

export const RUNS: Record<RoundRun, MakeJob> = {
  hot: (rig) => hotOrders(rig.bench, service(rig)),
  hot_one: (rig) => hotOrders(rig.bench, oneWorker(rig)),
  uniform_one: (rig) => jobOf(rig, oneWorker(rig), orders(rig, 'uniform'), created),
  uniform: (rig) => jobOf(rig, service(rig), orders(rig, 'uniform'), created),
  rowlock_hot: (rig) => rowlockOrders(rig, 'hot', rig.pool.hot),
  rowlock_uniform: (rig) => rowlockOrders(rig, 'uniform', rig.pool.uniform),

  hot_256: (rig) => hotOrders(rig.bench, service(rig), VARIANTS, many),
  echo_post_256: (rig) =>
    jobOf(rig, rig.baselines, orders(rig, 'hot', '/echo/orders'), { ...created, ...many }),
  overload: (rig, results) => openLoop(rig, OVERLOAD * peak(results), [201, 503]),
  half_load: (rig, results) => openLoop(rig, peak(results) / 2, [201]),
  echo_half_load: (rig, results) => {
    const { bench, baselines } = rig;
    const { load } = openLoop(rig, peak(results) / 2, [201]);
    return jobOf({ bench }, baselines, orders(rig, 'hot', '/echo/orders'), { ...created, load });
  },

  resend: (rig) => {
    const { stored_prefix: prefix } = rig;
    const request = { kind: 'resend', path: SERVICE_ORDERS, prefix, count: RESEND_ORDERS } as const;
    return jobOf(rig, service(rig), request, { body_bytes_min: ORDER_BYTES_MIN });
  },
  echo_post: (rig) => jobOf(rig, rig.baselines, orders(rig, 'hot', '/echo/orders'), created),
  soldout: (rig) => jobOf(rig, service(rig), orders(rig, 'soldout'), refused),
  echo_refused: (rig) => jobOf(rig, rig.baselines, orders(rig, 'soldout', '/echo/refused'), refused),

  status: (rig) => walk(rig, service(rig), MAIN, SERVICE_ORDERS, WALK_REPORTS_S.service),
  status_one: (rig) => walk(rig, oneWorker(rig), MAIN, SERVICE_ORDERS, WALK_REPORTS_S.service),
  rowlock_status: (rig) =>
    walk(rig, rig.baselines, COPY, `/rowlock/${rig.pool.uniform}/orders`, WALK_REPORTS_S.rowlock),

  lookup_one: (rig) => lookup(rig, oneWorker(rig), '/api/v1/inventory'),
  lookup: (rig) => lookup(rig, service(rig), '/api/v1/inventory'),
  echo_get: (rig) => lookup(rig, rig.baselines, '/echo/inventory'),
  list_304: async (rig) => {
    const etag = await currentTag(rig.bench);
    if (etag === null) throw new Unsupported('GET /inventory answers without an ETag');
    const headers = { 'If-None-Match': etag };
    const request = { kind: 'get', paths: ['/api/v1/inventory'], headers } as const;
    return jobOf(rig, service(rig), request, { allowed: [304], counted: 304, body_bytes_min: 0 });
  },

  list_warm: (rig) => list(rig, service(rig), '/api/v1/inventory', CONNECTIONS),
  static: (rig) => list(rig, rig.baselines, '/static/inventory', CONNECTIONS),
  list_changed: (rig) => list(rig, service(rig), '/api/v1/inventory', CONNECTIONS, MAIN),
  static_changed: (rig) => list(rig, rig.baselines, '/static/inventory', CONNECTIONS, COPY),
  rowlist_changed: (rig) => list(rig, rig.baselines, '/rowlist/inventory', CONNECTIONS_ROWLIST, COPY),

  lone: (rig) => hotOrders(rig.bench, service(rig), VARIANTS, one),
  rowlock_lone: (rig) => ({ ...rowlockOrders(rig, 'hot', rig.pool.hot), ...one }),

  hot_signed: (rig) => {
    const { key, secret: signing_secret } = heldIn(rig).signing;
    return hotOrders(rig.bench, service(rig), VARIANTS, { keys: [key], signing_secret });
  },
  hot_limited: (rig) => hotOrders(rig.bench, service(rig), VARIANTS, { keys: [heldIn(rig).limited.key] }),
};

function heldIn({ held }: Rig): HeldChannels {
  if (!held) throw new RangeError('the signing and limited channels were not created');
  return held;
}

export const rowlockOrders = (rig: Pick<Rig, 'bench' | 'baselines'>, skus: SkuChoice, pool: number): Job =>
  jobOf(rig, rig.baselines, orders(rig, skus, `/rowlock/${pool}/orders`), created);

const lookup = (rig: Rig, aim: Aim, path: string): Job =>
  jobOf(rig, aim, { kind: 'lookup', path, variants: VARIANTS });

/** The peak throughput, measured in the same round. */
function peak(results: Results): number {
  const measured = results.get('hot_256');
  if (!measured) throw new RangeError('the peak is not measured yet');
  return measured.ops_s;
}

const openLoop = (rig: Rig, rate: number, allowed: number[]): Job =>
  hotOrders(rig.bench, service(rig), VARIANTS, {
    load: { kind: 'open', rate, connections: CONNECTIONS_OPEN },
    allowed,
  });

/** Each run stores its own orders first. */
export async function walk(
  rig: Pick<Rig, 'bench'>,
  aim: Aim,
  database: string,
  path: string,
  reports_s: number,
): Promise<Job> {
  const { bench } = rig;
  const { warmup_s, seconds } = bench.options;
  const prefix = bench.nextPrefix();
  const count = Math.ceil(((warmup_s + seconds) * reports_s) / 2);
  await storePaid(bench, database, prefix, count);
  const request = { kind: 'walk', path, prefix, count } as const;
  return jobOf(rig, aim, request, { body_bytes_min: ORDER_BYTES_MIN });
}

export const storePaid = (bench: Bench, database: string, prefix: string, count: number): Promise<void> =>
  withClient(bench.database.urlOf(database), async (client) => {
    await storeOrders(client, { channelId: bench.channel.id, variants: VARIANTS, prefix, count });
    if (bench.options.workers > 1) await announceStock(client);
  });

/** With `changed`, 100 SKUs change in that database before each poll. */
function list(rig: Rig, aim: Aim, path: string, connections: number, changed: string | null = null): Job {
  const { list_bytes } = rig.baselines;
  return jobOf(
    rig,
    aim,
    { kind: 'get', paths: [path], headers: {} },
    {
      load: { kind: 'closed', connections },
      change:
        changed === null ? null : { database_url: rig.bench.database.urlOf(changed), variants: VARIANTS },
      answers_min: 3,
      body_bytes_min: 0.95 * list_bytes,
      body_bytes: list_bytes,
      // rowlist finishes pending answers anyway, which would disturb the next run.
      drain: connections !== CONNECTIONS,
    },
  );
}

/** The ETag with which an up-to-date client polls. */
async function currentTag({ service: { origin }, channel, signal }: Bench): Promise<string | null> {
  const headers = { 'x-api-key': channel.key };
  const answer = await fetch(`${origin}/api/v1/inventory`, { headers, signal });
  await answer.arrayBuffer();
  return answer.headers.get('etag');
}
