// One customer's visit, planned before it starts. The same seed plans the same visits, whatever the service
// answers.
import type { Random } from '../../verify/kit/random.ts';
import type { Status } from '../../verify/observer/order-states.ts';
import type { OrderBody, OrderLine } from '../../verify/observer/requests.ts';
import { marketOf, type Market } from './people.ts';
import { newSkusOf } from './product-info.ts';
import type { Scenario } from './scenarios.ts';
import type { Channel, KeyedWorld } from './world.ts';

interface Report {
  status: Status;
  tracking_number?: string;
  courier_code?: string;
  reason?: string;
}

interface Step {
  /** Delay after the previous step. */
  wait_ms: number;
  report: Report;
  copies: number;
}

export interface Visit {
  channel: number;
  looks: string[];
  order: OrderBody | null;
  /** Places a backorder if there is no stock but a quota. */
  is_patient: boolean;
  is_shop_impatient: boolean;
  copies: number;
  /** The order is sent again after this many milliseconds; null: never. */
  resent_ms: number | null;
  steps: Step[];
}

/** One offer of the shop: a single SKU, or the left and right SKU of a set. */
type Offer = readonly string[];

export interface Shelf {
  offers: readonly Offer[];
  /** The flash-sale item, as SKUs of this channel. */
  on_sale: Offer;
  /** In the shop, but not yet registered with the service. */
  not_registered: readonly string[];
}

const NEW_GOODS_SHARE = 0.03;
/** The flash-sale item is one of this many items with the least stock. */
const SCARCE = 3;

export function shelfOf(channel: Channel, onSale: string | null): Shelf {
  const { skus } = channel;
  const all = new Set(skus.map(({ sku }) => sku));
  const offers = [...all].flatMap((sku): Offer[] => {
    const other = (side: string): string => sku.slice(0, -2) + side;
    if (sku.endsWith('-L') && all.has(other('-R'))) return [[sku, other('-R')]];
    return sku.endsWith('-R') && all.has(other('-L')) ? [] : [[sku]];
  });
  const sale = skus.find(({ variant_code }) => variant_code === onSale)?.sku;
  // A service to which we only have keys cannot know these SKUs, so they are not sent.
  const not_registered = channel.id === null ? [] : newSkusOf(channel).filter((sku) => !all.has(sku));
  return { offers, on_sale: sale === undefined ? (offers[0] ?? []) : [sale], not_registered };
}

/** An item that every channel sells and that is scarce; null: the channels have no item in common. */
export function chooseOnSale({ channels, stock }: KeyedWorld, random: Random): string | null {
  // An item without a stock row cannot be sold. If the stock is unknown, all items count the same.
  const quantity = (code: string): number => (stock ? (stock.get(code)?.quantity ?? 0) : 1);
  const [first, ...others] = channels.map(({ skus }) => new Set(skus.map((one) => one.variant_code)));
  const common = [...(first ?? [])].filter((code) => others.every((codes) => codes.has(code)));
  const some = common.filter((code) => quantity(code) > 0).toSorted((a, b) => quantity(a) - quantity(b));
  return some.length === 0 ? null : random.pick(some.slice(0, SCARCE));
}

export interface Plan {
  scenario: Scenario;
  world: KeyedWorld;
  shelves: readonly Shelf[];
  /** Prefix of every order number: numbers are unique across all channels and runs. */
  prefix: string;
}

export function planVisit(plan: Plan, random: Random, sequence: number): Visit {
  const { scenario, world, shelves, prefix } = plan;
  const place = random.between(0, world.channels.length - 1);
  const channel = world.channels[place] as Channel;
  const shelf = shelves[place] as Shelf;
  const market = marketOf(channel.currency_code);
  const isOnSale = random.chance(scenario.on_sale);
  const wanted = isOnSale ? [shelf.on_sale] : someOf(random, shelf.offers);
  const looks = Array.from(
    { length: random.between(0, scenario.looks_max) },
    () => random.pick(shelf.offers)[0] ?? '',
  );
  const isNew = random.chance(NEW_GOODS_SHARE) && shelf.not_registered.length > 0;
  if (isNew) looks.push(random.pick(shelf.not_registered));
  const isOrdering = isOnSale || random.chance(scenario.ordering);
  const found = isNew && random.chance(0.5) ? looks.slice(-1) : [];
  const items = [...wanted, found].flatMap((offer) => linesOf(random, offer, market));
  const order_number = `${prefix}-${place + 1}-${sequence}`;
  const status = random.chance(0.3) ? 0 : 1;
  const order: OrderBody = {
    order_number,
    recipient_name: random.pick(market.people),
    recipient_phone: market.phone,
    shipping_address: random.pick(market.addresses),
    status,
    is_backorder: false,
    items,
  };
  return {
    channel: place,
    looks: [...looks, ...(items[0] && random.chance(0.8) ? [items[0].sku] : [])],
    order: isOrdering && items.length > 0 ? order : null,
    is_patient: random.chance(0.7),
    is_shop_impatient: random.chance(scenario.impatient),
    copies: random.between(1, scenario.copies_max),
    resent_ms: random.chance(scenario.resent) ? random.between(0, 2_000) : null,
    steps: stepsOf(plan.scenario, random, market, status),
  };
}

const someOf = (random: Random, offers: readonly Offer[]): Offer[] =>
  offers.length === 0
    ? []
    : Array.from(
        { length: random.named({ '1': 6, '2': 3, '3': 1 }) === '1' ? 1 : random.between(2, 3) },
        () => random.pick(offers),
      );

/** The price of a set is split between its two lines (contract 2.6.6). */
function linesOf(random: Random, offer: Offer, { prices, decimals }: Market): OrderLine[] {
  const price = random.pick(prices);
  const quantity = random.between(1, 3);
  const [left, right] = offer;
  if (left === undefined) return [];
  if (right === undefined) return [{ sku: left, quantity, unit_price: price }];
  const unit = 10 ** decimals;
  const half = Math.floor((price * unit) / 2) / unit;
  return [
    { sku: left, quantity, unit_price: half },
    { sku: right, quantity, unit_price: Number((price - half).toFixed(decimals)) },
  ];
}

const REASONS = ['고객 변심', 'Ordered twice', 'Found it elsewhere'];

function stepsOf(scenario: Scenario, random: Random, market: Market, status: 0 | 1): Step[] {
  const fate = random.named(scenario.fates);
  const way: Status[] = [...(status === 0 ? ([1] as const) : []), 2, 9];
  // Some shops report every step, others only the last.
  const reported = way.filter(() => random.chance(0.6));
  const reached = fate === 'shipped' ? reported : reported.slice(0, random.between(0, reported.length));
  const last: Status[] = fate === 'shipped' ? [3] : fate === 'cancelled' ? [88] : [];
  const late: Status[] =
    last.length > 0 && random.chance(scenario.late) ? [random.pick([1, 2, 3, 88] as const)] : [];
  return [...reached, ...last, ...late].map((target) => ({
    wait_ms: random.between(100, 3_000),
    report: reportOf(random, market, target),
    copies: random.between(1, scenario.copies_max),
  }));
}

function reportOf(random: Random, { couriers }: Market, status: Status): Report {
  if (status === 88) return { status, reason: random.pick(REASONS) };
  if (status !== 3) return { status };
  const part = (): string => String(random.between(1_000, 9_999));
  return {
    status,
    tracking_number: `${part()}-${part()}-${part()}`,
    // An unknown courier is not an error: the tracking number is stored.
    courier_code: random.chance(0.95) ? random.pick(couriers) : 'By hand',
  };
}
