// Concurrent clients over real HTTP, in rounds with a pause in between, so that each round can be judged separately.
// Every operation is recorded with the times of request and answer, by one monotonic clock.
import { orderOf, unique } from '../../kit/fixtures.ts';
import type { TestDatabase } from '../../kit/database.ts';
import type { Model } from '../../kit/model.ts';
import { Random, seedOf } from '../../kit/random.ts';
import { ADMIN_TOKEN, callsTo, type TestService } from '../../kit/service.ts';
import type { Operation } from '../linearizability.ts';
import { deskRequest, newMarket, skuOf, type Market } from '../steps.ts';
import { answerOf, type HttpReply } from './answers.ts';
import { chooseRequest, chooseRules, type KnownNumber } from './choose.ts';
import { SKU_CHANNELS, FIRST_QUANTITY, newSkuModel, type Asked, type SkuRequest } from './requests.ts';

const SKUS = [0, 1, 2] as const;
const EXPIRY_MINUTES = 60;
const ANSWER_MS_MAX = 30_000;
/** Impatient clients abort within this time. */
const PATIENCE_MS_MAX = 8;

export type Recorded = Operation<Asked, string>;

interface Item {
  /** Every state that the item can be in after the recorded operations. */
  states: readonly Model[];
  numbers: KnownNumber[];
}

/** The service processes under test share the database with one that only expires orders. */
export interface Services {
  origins: readonly string[];
  database: TestDatabase;
  expirer: Pick<TestService, 'service'>;
}

/** New channels and items; every service process gets requests for them. */
export interface Epoch extends Services {
  market: Market;
  items: Item[];
  prefix: string;
}

export async function newEpoch(services: Services, seed: number): Promise<Epoch> {
  const [origin = ''] = services.origins;
  const channelFields = SKU_CHANNELS.map(() => ({ prepayment_expiry_minutes: EXPIRY_MINUTES }));
  const quantities = SKUS.map(() => FIRST_QUANTITY);
  const prefix = unique('H');
  const rules = chooseRules(new Random(seed), prefix);
  const market = await newMarket(callsTo(origin), channelFields, quantities, rules);
  const items = SKUS.map((item) => ({ states: [newSkuModel(item, rules)], numbers: [] }));
  return { ...services, market, items, prefix };
}

export interface RoundPlan {
  clients: number;
  /** per client */
  operations: number;
  /** Some clients abort before the response, so the result is unknown. */
  isImpatient: boolean;
  seed: number;
}

interface Client {
  epoch: Epoch;
  index: number;
  random: Random;
  /** The last list of each channel with its ETag. A 304 means that this list is still valid. */
  lists: Map<number, { etag: string; reply: HttpReply }>;
}

/** Plays one round; resolves to the recorded operations by item. */
export async function playRound(epoch: Epoch, plan: RoundPlan): Promise<Recorded[][]> {
  const histories: Recorded[][] = epoch.items.map(() => []);
  await Promise.all(
    Array.from({ length: plan.clients }, async (_, index) => {
      const client = { epoch, index, random: new Random(seedOf(plan.seed, index)), lists: new Map() };
      for (let turn = 0; turn < plan.operations; turn++) await act(client, plan.isImpatient, histories);
    }),
  );
  return histories;
}

async function act(client: Client, isImpatient: boolean, histories: Recorded[][]): Promise<void> {
  const { epoch, index, random } = client;
  const item = random.pick(SKUS);
  const request = chooseRequest(random, item, epoch.items[item]?.numbers ?? [], epoch.prefix);
  const place = random.below(epoch.origins.length);
  const gives_up_ms = isImpatient && random.chance(0.08) ? random.below(PATIENCE_MS_MAX) : ANSWER_MS_MAX;
  const invoked = performance.now();
  const reply =
    request.kind === 'expire'
      ? await expire(epoch, request.number)
      : await send(client, epoch.origins[place] ?? '', item, request, gives_up_ms);
  if (reply === 'nothing') return;
  const answered = performance.now();
  // A list is an answer about each of its items.
  for (const about of request.kind === 'list' ? SKUS : [item]) {
    const answer = reply && answerOf(request, about, epoch.market.variants[about]?.code ?? '', reply);
    histories[about]?.push({
      input: { request, client: index, service: String.fromCodePoint(65 + place) },
      answer,
      invoked,
      returned: answer === null ? Infinity : answered,
    });
  }
}

/** Moves the order into the past beyond its expiry and runs the expiry job. `nothing`: it did not exist yet. */
async function expire({ database, expirer }: Epoch, number: string): Promise<HttpReply | 'nothing'> {
  const { rowCount } = await database.tamper(
    `update orders set created_at = now() - $2 * interval '1 minute' where order_number = $1`,
    [number, EXPIRY_MINUTES],
  );
  if (rowCount !== 1) return 'nothing';
  await expirer.service.jobs.runNow('expire-orders');
  return { status: 200, json: null };
}

/** null: no complete answer. */
async function send(
  { epoch, lists }: Client,
  origin: string,
  item: number,
  request: SentRequest,
  gives_up_ms: number,
): Promise<HttpReply | null> {
  const { method, path, body } = wire(epoch.market, item, request);
  const isAdmin = path.startsWith('/admin');
  const key = epoch.market.channels['channel' in request ? request.channel : 0]?.api_key ?? '';
  const held = request.kind === 'list' ? lists.get(request.channel) : undefined;
  try {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(isAdmin ? { authorization: `Bearer ${ADMIN_TOKEN}` } : { 'x-api-key': key }),
        ...(body && { 'content-type': 'application/json' }),
        ...(held && { 'if-none-match': held.etag }),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(gives_up_ms),
    });
    const text = await response.text();
    if (response.status === 304 && held) return held.reply;
    const reply = { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
    const etag = response.headers.get('etag');
    if (request.kind === 'list' && etag !== null) lists.set(request.channel, { etag, reply });
    return reply;
  } catch {
    return null;
  }
}

type SentRequest = Exclude<SkuRequest, { kind: 'expire' }>;

function wire(
  market: Market,
  item: number,
  request: SentRequest,
): { method: string; path: string; body?: object } {
  switch (request.kind) {
    case 'lookup':
      return { method: 'GET', path: `/api/v1/inventory/${skuOf(item, 'a')}` };
    case 'list':
      return { method: 'GET', path: '/api/v1/inventory' };
    case 'level':
      return { method: 'GET', path: `/admin/v1/stock/${market.variants[item]?.code}` };
    case 'intake': {
      const { number: order_number, status, backorder: is_backorder } = request;
      const lines = request.lines.map(({ price, ...line }) => ({ ...line, unit_price: price / 1000 }));
      const body = orderOf(lines, { order_number, status, is_backorder });
      return { method: 'POST', path: '/api/v1/orders', body };
    }
    case 'report': {
      const tracking = request.status === 3 ? { tracking_number: 'T1' } : {};
      const body = { status: request.status, ...tracking };
      return { method: 'POST', path: `/api/v1/orders/${request.number}/status`, body };
    }
    case 'set':
    case 'adjust':
    case 'allocate': {
      const { path, ...rest } = deskRequest(market, request);
      return { ...rest, path: `/admin/v1${path}` };
    }
  }
}
