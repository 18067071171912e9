// Concurrent clients over real HTTP, in rounds with a pause in between, so that each round can be judged separately.
// Every operation is recorded with the times of request and answer, by one monotonic clock.
import { fixtures, must, unique, type TestChannel, type TestVariant } from '../../kit/fixtures.ts';
import type { Model } from '../../kit/model.ts';
import { ADMIN_TOKEN, callsTo } from '../../kit/service.ts';
import type { Operation } from '../linearizability.ts';
import { Random, seedOf } from '../../kit/random.ts';
import { answerOf, type HttpReply } from './answers.ts';
import { EXPIRY_MINUTES, type Expiry } from './expiry.ts';
import { chooseRequest, type KnownNumber } from './choose.ts';
import { CHANNELS, FIRST_QUANTITY, newSkuModel, skuOf, type Asked, type Request } from './requests.ts';
import { PERSON } from '../../kit/canaries.ts';

const SKUS = [0, 1, 2] as const;
const ANSWER_MS_MAX = 30_000;
/** Impatient clients abort within this time. */
const PATIENCE_MS_MAX = 8;

type WireRequest = Exclude<Request, { kind: 'expire' }>;

export type Recorded = Operation<Asked, string>;

interface Item {
  variant: TestVariant;
  /** Every state that the item can be in after the recorded operations. */
  states: readonly Model[];
  numbers: KnownNumber[];
}

/** New channels and items; every service process gets requests for them. */
export interface Epoch {
  origins: readonly string[];
  channels: TestChannel[];
  items: Item[];
  prefix: string;
  expiry: Expiry;
}

export async function newEpoch(origins: readonly string[], expiry: Expiry): Promise<Epoch> {
  const [origin = ''] = origins;
  const service = callsTo(origin);
  const make = fixtures(service);
  // Create them one after the other, because the stock row lists channels by id.
  const channels: TestChannel[] = [];
  for (const _ of CHANNELS) channels.push(await make.channel({ prepayment_expiry_minutes: EXPIRY_MINUTES }));
  const variants = await Promise.all(SKUS.map(() => make.variant(FIRST_QUANTITY)));
  for (const { id } of channels) {
    const mappings = variants.flatMap(({ code }, item) =>
      (['a', 'b'] as const).map((alias) => ({ sku: skuOf(item, alias), variant_code: code })),
    );
    await must(service.admin('PUT', `/channels/${id}/mappings`, { mappings }), 200);
  }
  const items = variants.map((variant, index) => ({ variant, states: [newSkuModel(index)], numbers: [] }));
  return { origins, channels, items, prefix: unique('H'), expiry };
}

export interface RoundPlan {
  clients: number;
  /** per client */
  operations: number;
  /** Some clients abort before the response, so the result is unknown. */
  isImpatient: boolean;
  seed: number;
}

/** Plays one round; resolves to the recorded operations by item. */
export async function playRound(epoch: Epoch, plan: RoundPlan): Promise<Recorded[][]> {
  const histories: Recorded[][] = epoch.items.map(() => []);
  await Promise.all(
    Array.from({ length: plan.clients }, async (_, client) => {
      const player = new Client(epoch, client, new Random(seedOf(plan.seed, client)), histories);
      for (let turn = 0; turn < plan.operations; turn++) await player.act(plan.isImpatient);
    }),
  );
  return histories;
}

class Client {
  readonly #epoch: Epoch;
  readonly #index: number;
  readonly #random: Random;
  readonly #histories: Recorded[][];
  /** The last list of each channel with its ETag. A 304 means that this list is still valid. */
  readonly #lists = new Map<number, { etag: string; reply: HttpReply }>();

  constructor(epoch: Epoch, index: number, random: Random, histories: Recorded[][]) {
    this.#epoch = epoch;
    this.#index = index;
    this.#random = random;
    this.#histories = histories;
  }

  async act(isImpatient: boolean): Promise<void> {
    const random = this.#random;
    const item = random.pick(SKUS);
    const request = chooseRequest(random, item, this.#epoch.items[item]?.numbers ?? [], this.#epoch.prefix);
    const place = random.below(this.#epoch.origins.length);
    const asked = { request, client: this.#index, service: String.fromCodePoint(65 + place) };
    const gives_up_ms = isImpatient && random.chance(0.08) ? random.below(PATIENCE_MS_MAX) : ANSWER_MS_MAX;
    const origin = this.#epoch.origins[place] ?? '';
    const invoked = performance.now();
    const reply =
      request.kind === 'expire'
        ? await this.#expire(request.number)
        : await this.#send(origin, item, request, gives_up_ms);
    // The order did not exist yet.
    if (reply === 'nothing') return;
    const returned = performance.now();
    // A list is an answer about each of its items.
    for (const about of request.kind === 'list' ? SKUS : [item]) {
      const code = this.#epoch.items[about]?.variant.code ?? '';
      const answer = reply && answerOf(request, about, code, reply);
      this.#histories[about]?.push({
        input: asked,
        answer,
        invoked,
        returned: answer === null ? Infinity : returned,
      });
    }
  }

  async #expire(number: string): Promise<HttpReply | 'nothing'> {
    return (await this.#epoch.expiry.expire(number)) ? { status: 200, json: null } : 'nothing';
  }

  async #send(
    origin: string,
    item: number,
    request: WireRequest,
    gives_up_ms: number,
  ): Promise<HttpReply | null> {
    const { method, path, body } = this.#wire(item, request);
    const isAdmin = path.startsWith('/admin');
    const key = this.#epoch.channels['channel' in request ? request.channel : 0]?.api_key ?? '';
    const held = request.kind === 'list' ? this.#lists.get(request.channel) : undefined;
    try {
      const response = await fetch(origin + path, {
        method,
        headers: {
          ...(isAdmin ? { authorization: `Bearer ${ADMIN_TOKEN}` } : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(held ? { 'if-none-match': held.etag } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(gives_up_ms),
      });
      const text = await response.text();
      if (response.status === 304 && held) return held.reply;
      const reply = { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
      const etag = response.headers.get('etag');
      if (request.kind === 'list' && etag !== null) this.#lists.set(request.channel, { etag, reply });
      return reply;
    } catch {
      return null;
    }
  }

  #wire(item: number, request: WireRequest): { method: string; path: string; body?: object } {
    const code = this.#epoch.items[item]?.variant.code ?? '';
    switch (request.kind) {
      case 'lookup':
        return { method: 'GET', path: `/api/v1/inventory/${skuOf(item, 'a')}` };
      case 'list':
        return { method: 'GET', path: '/api/v1/inventory' };
      case 'level':
        return { method: 'GET', path: `/admin/v1/stock/${code}` };
      case 'set':
        return { method: 'PUT', path: `/admin/v1/stock/${code}`, body: { quantity: request.quantity } };
      case 'adjust': {
        const body = { delta: request.delta, reason: 'count' };
        return { method: 'POST', path: `/admin/v1/stock/${code}/adjustments`, body };
      }
      case 'allocate': {
        const id = this.#epoch.channels[request.channel]?.id;
        const body = { allocated_qty: request.allocated, reserve_quota: request.quota };
        return { method: 'PUT', path: `/admin/v1/channels/${id}/allocations/${code}`, body };
      }
      case 'intake':
        return { method: 'POST', path: '/api/v1/orders', body: orderBody(request) };
      case 'report': {
        const tracking = request.status === 3 ? { tracking_number: 'T1' } : {};
        const body = { status: request.status, ...tracking };
        return { method: 'POST', path: `/api/v1/orders/${request.number}/status`, body };
      }
    }
  }
}

const orderBody = (request: Extract<Request, { kind: 'intake' }>): object => ({
  order_number: request.number,
  ...PERSON,
  status: request.status,
  is_backorder: request.backorder,
  items: request.lines.map(({ sku, quantity, price }) => ({ sku, quantity, unit_price: price / 1000 })),
});
