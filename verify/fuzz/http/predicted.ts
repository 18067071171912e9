// Orders of channels with prefixes of order numbers and with limits (contract 10.13 and 10.24), sent one at a time. The
// model is filled from the database and predicts each answer.
import type pg from 'pg';
import { orderOf } from '../../kit/fixtures.ts';
import { Model, type ModelLimits } from '../../kit/model.ts';
import { Random } from '../../kit/random.ts';
import { refusalWords, type HttpReply } from '../history/answers.ts';
import { limitFields } from '../steps.ts';
import type { HttpFault } from './judge.ts';
import type { Target } from './target.ts';
import { NUMBER_BEGINNINGS } from './values.ts';

const ORDERS = 48;
/** After this many orders the channels get other limits. */
const SAME_LIMITS_ORDERS = 4;
const CHANNELS = [1, 2] as const;
const SKUS = ['S-0', 'S-1', 'S-2'] as const;
const NUMBERS = 400;
/** For the other requests of a lot: only vast orders are beyond these. */
const WIDE: ModelLimits = { line: 1_000, unpaid: 100_000, unpaidPercent: 100, backordered: 100_000 };

/** Resolves to the first answer that differs from the prediction, or null. */
export async function wrongPrediction(
  { service, pool }: Target,
  keyOf: (channel: number) => string,
  seed: number,
): Promise<HttpFault | null> {
  const random = new Random(seed);
  const limit = async (channel: number, limits: ModelLimits): Promise<void> => {
    const { status, text } = await service.admin('PUT', `/channels/${channel}/limits`, limitFields(limits));
    if (status !== 200) throw new Error(`limits were answered ${status}: ${text}`);
  };
  const limits = new Map<number, ModelLimits>();
  for (let sent = 0; sent < ORDERS; sent++) {
    const model = await modelOf(pool);
    for (const channel of CHANNELS) {
      if (sent % SAME_LIMITS_ORDERS === 0) {
        const chosen = chooseLimits(random, model, channel);
        limits.set(channel, chosen);
        await limit(channel, chosen);
      }
      const prefix = model.rules.get(channel)?.prefix ?? null;
      model.rules.set(channel, { prefix, limits: limits.get(channel) ?? null });
    }
    const order = chooseOrder(random);
    const predicted = withoutOrder(model.intake(order));
    const { channel, number: order_number, status, backorder: is_backorder } = order;
    const items = order.lines.map(({ sku, quantity }) => ({ sku, quantity, unit_price: 0 }));
    const body = orderOf(items, { order_number, status, is_backorder });
    const reply = await service.channel(keyOf(channel))('POST', '/orders', body);
    const answered = withoutOrder(wordsOf(reply));
    if (answered === predicted) continue;
    const rules = JSON.stringify([...model.rules].filter(([id]) => id <= CHANNELS.length));
    const text = `answered "${answered}", predicted "${predicted}": ${JSON.stringify(order)}; rules ${rules}`;
    return { kind: 'prediction', text };
  }
  for (const channel of CHANNELS) await limit(channel, WIDE);
  return null;
}

const maybe = (random: Random, first: number, last: number): number | null =>
  random.chance(0.5) ? random.between(first, last) : null;

/** Near to what the channel holds of one of the items. */
function chooseLimits(random: Random, model: Model, channel: number): ModelLimits {
  const variant = model.mappings.get(`${channel}/${random.pick(SKUS)}`) ?? 0;
  const [held, owed] = [model.unpaid(channel, variant), model.backordered(variant, channel)];
  return {
    line: maybe(random, 1, 4),
    unpaid: maybe(random, held, held + 8),
    unpaidPercent: maybe(random, 0, 3),
    backordered: maybe(random, owed, owed + 8),
  };
}

type Order = Parameters<Model['intake']>[0];

function chooseOrder(random: Random): Order {
  const channel = random.pick(CHANNELS);
  const beginning = random.chance(0.6) ? NUMBER_BEGINNINGS[channel - 1] : random.pick(NUMBER_BEGINNINGS);
  return {
    channel,
    number: `${beginning}${random.below(NUMBERS)}`,
    status: random.chance(0.6) ? 0 : 1,
    backorder: random.chance(0.4),
    lines: Array.from({ length: random.between(1, 3) }, () => ({
      sku: random.pick(SKUS),
      quantity: random.between(1, 5),
      price: 0,
    })),
  };
}

/** Which order it is does not matter here, and neither do its amounts. */
const withoutOrder = (words: string): string => /^(?:created|resent)\b/.exec(words)?.[0] ?? words;

function wordsOf({ status, json }: HttpReply): string {
  const words = { 200: 'resent', 201: 'created', 500: 'order_number_taken' }[status] ?? refusalWords(json);
  return words ?? `unexpected ${status} ${JSON.stringify(json)}`;
}

interface ChannelRow {
  id: number;
  order_number_prefix: string | null;
}
interface OrderRow {
  channel_id: number;
  order_number: string;
  status: number;
  is_backorder: boolean;
  lines: { variant: number; quantity: number; drawn: number }[];
}

async function modelOf(pool: pg.Pool): Promise<Model> {
  const read = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
    (await pool.query<Row>(sql)).rows;
  const channels = await read<ChannelRow>(
    'select id, order_number_prefix from channel where archived_at is null',
  );
  const allocations = await read<Record<'channel_id' | 'variant_id' | 'allocated' | 'quota', number>>(
    'select channel_id, variant_id, allocated_qty::int as allocated, reserve_quota as quota from allocation',
  );
  const model = new Model([...new Set(allocations.map(({ channel_id }) => channel_id))]);
  for (const { id, order_number_prefix: prefix } of channels) model.rules.set(id, { prefix, limits: null });
  for (const row of await read<{ id: number; quantity: number }>(
    'select variant_id as id, quantity from stock',
  ))
    model.setStock(row.id, row.quantity);
  for (const { channel_id, sku, variant_id } of await read<{
    channel_id: number;
    sku: string;
    variant_id: number;
  }>('select channel_id, sku, variant_id from mapping'))
    model.map(channel_id, sku, variant_id);
  // An order that holds nothing any more only takes its number.
  for (const { channel_id, order_number, status, is_backorder, lines } of await read<OrderRow>(
    `select channel_id, order_number, case when status = 3 then 88 else status end as status, is_backorder,
       jsonb_agg(jsonb_build_object('variant', variant_id, 'quantity', quantity, 'drawn', from_allocation)) as lines
     from orders join order_item on order_id = id group by id`,
  )) {
    const drawn = new Map<number, number>();
    for (const line of lines) drawn.set(line.variant, (drawn.get(line.variant) ?? 0) + line.drawn);
    const known = { channel: channel_id, number: order_number, status, backorder: is_backorder };
    model.restore({ ...known, lines, drawn });
  }
  for (const { channel_id, variant_id, allocated, quota } of allocations)
    model.setAllocation(channel_id, variant_id, allocated, quota);
  return model;
}
