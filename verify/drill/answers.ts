// What an answer means. Pure: a definite outcome, or words for why such an answer must not be.
import { amountsOf } from '../kit/model.ts';
import type { Command, OrderCommand, Outcome } from './ledger.ts';
import { isStatus } from '../kit/order-states.ts';
import type { World } from './world.ts';

export interface Answer {
  status: number;
  json: any;
  text: string;
  retry_after: string | undefined;
}

export type Reading = { outcome: Outcome } | { unknown: string } | { violation: string };

export const RECIPIENT = {
  recipient_name: 'Kim Minji',
  recipient_phone: '010-1234-5678',
  shipping_address: 'Seoul',
};

export function readAnswer(command: Command, answer: Answer, world: World): Reading {
  const { status } = answer;
  if (status === 503) {
    if (answer.retry_after === undefined) return { violation: `a 503 without Retry-After: ${answer.text}` };
    return { unknown: '503' };
  }
  const read = READERS[command.kind] as (command: Command, answer: Answer, world: World) => Reading | null;
  return (
    read(command, answer, world) ?? {
      violation: `${describe(command)} was answered ${status}: ${answer.text}`,
    }
  );
}

type Readers = {
  [K in Command['kind']]: (
    command: Extract<Command, { kind: K }>,
    answer: Answer,
    world: World,
  ) => Reading | null;
};

const isRule = (json: any): boolean => typeof json?.error === 'string' && json.errors === undefined;

const READERS: Readers = {
  order: (command, { status, json }, world) => {
    if (status === 201 || status === 200) return readOrder(command, status === 201, json?.data, world);
    if (command.owner !== undefined && status === 500 && isRule(json))
      return { outcome: { kind: 'elsewhere' } };
    if (status !== 422 || !isRule(json) || isAlwaysPossible(command, world)) return null;
    return { outcome: { kind: 'refused' } };
  },
  report: (command, { status, json }) => {
    const { data } = json ?? {};
    if (status === 200 && isStatus(data?.status) && data.order_number === command.order_number)
      return { outcome: { kind: 'moved', id: data.id, status: data.status } };
    if (status === 404 && isRule(json)) return { outcome: { kind: 'not_found' } };
    if (status !== 409 || !isStatus(json?.current_status) || json.requested_status !== command.status)
      return null;
    if (json.code === 'invalid_transition')
      return { outcome: { kind: 'illegal', current: json.current_status } };
    if (json.code === 'insufficient_stock')
      return { outcome: { kind: 'short', current: json.current_status } };
    return null;
  },
  adjust: (command, { status, json }) => {
    if (status === 200 && json?.data?.quantity >= 0) return { outcome: { kind: 'adjusted' } };
    return status === 422 && isRule(json) && command.delta < 0 ? { outcome: { kind: 'refused' } } : null;
  },
  count: (command, { status, json }) => {
    if (status === 200 && json?.data?.quantity === command.quantity) return { outcome: { kind: 'counted' } };
    return status === 409 && json?.code === 'stale' ? { outcome: { kind: 'stale' } } : null;
  },
};

/** What does not run out is never refused. */
const isAlwaysPossible = ({ items, channel_id }: OrderCommand, world: World): boolean =>
  items.every(({ sku }) => itemOf(world, channel_id, sku).kind === 'plain');

export function itemOf(world: World, channelId: number, sku: string): World['items'][number] {
  const found = world.skus.find((one) => one.channel_id === channelId && one.sku === sku);
  const item = world.items.find(({ variant_code }) => variant_code === found?.variant_code);
  if (!item) throw new RangeError(`channel ${channelId} has no SKU ${sku}`);
  return item;
}

/** In the base currency, by the model's arithmetic. */
export const amountsIn = (world: World, { channel_id, items }: OrderCommand) =>
  amountsOf(items, (world.channels.find(({ id }) => id === channel_id)?.rate_hundredths ?? 0) * 10_000);

function readOrder(command: OrderCommand, created: boolean, data: any, world: World): Reading | null {
  const amounts = amountsIn(world, command);
  const expected = {
    order_number: command.order_number,
    total_amount: amounts.total_amount,
    recipient_name: RECIPIENT.recipient_name,
    items: command.items.map(({ sku, quantity }, line) => {
      const { product_code, product_name } = itemOf(world, command.channel_id, sku);
      return { product_code, product_name, quantity, unit_price: amounts.unit_prices[line] };
    }),
  };
  const { order_number, total_amount, recipient_name, items, id, status, created_at } = data ?? {};
  const shown = { order_number, total_amount, recipient_name, items };
  if (JSON.stringify(shown) !== JSON.stringify(expected)) return null;
  if (!Number.isSafeInteger(id) || typeof created_at !== 'string' || !isStatus(status)) return null;
  if (created && status !== command.status) return null;
  return { outcome: { kind: 'taken', created, id, status, created_at } };
}

export function describe(command: Command): string {
  switch (command.kind) {
    case 'order':
      return `order ${command.order_number} of channel ${command.channel_id}`;
    case 'report':
      return `the report ${command.status} on order ${command.order_number} of channel ${command.channel_id}`;
    case 'adjust':
      return `the adjustment "${command.reason}" of ${command.variant_code}`;
    case 'count':
      return `the count of ${command.variant_code} from ${command.expected_quantity} to ${command.quantity}`;
  }
}
