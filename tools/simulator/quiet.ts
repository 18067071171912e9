// When all is quiet: what got no answer is settled, and every number must follow from what was told.
import { SluiceError } from '../../clients/typescript/src/index.ts';
import { Model } from '../../verify/kit/model.ts';
import type { Books } from './books.ts';
import type { ListRow, Lookup } from './shapes.ts';
import type { Shop } from './shop.ts';
import { grantKey } from './world.ts';

/** Of one channel; a longer list is looked at in part. */
const LOOKUPS_MAX = 300;
const AT_ONCE = 8;

/** A resend shows where an order is: nothing is on its way any more. */
export async function settle(books: Books, shops: readonly Shop[]): Promise<void> {
  const unsure = [...books.orders.values()].filter(
    (order) => order.lost > 0 || order.states.certain === null,
  );
  await inTurns(unsure, async (order) => {
    order.states.settle();
    await shops[order.channel]?.resend(order.body);
  });
}

export async function checkQuiet(books: Books, shops: readonly Shop[]): Promise<void> {
  for (const order of books.orders.values()) {
    if (order.shown !== null && order.created === 0 && order.lost === 0)
      books.broke(order.channel, `order ${order.body.order_number} was never answered 201, at no intake.`);
  }
  const lists = new Map<number, ListRow[]>();
  for (const [channel, shop] of shops.entries()) {
    const before = await shop.list();
    const rows = before instanceof SluiceError ? [] : (before.items ?? []);
    const lookups = await inTurns(rows.slice(0, LOOKUPS_MAX), ({ sku }) => shop.lookup(sku));
    const after = await shop.list();
    if (before instanceof SluiceError || after instanceof SluiceError) {
      books.broke(channel, 'the stock list was not to be had when all was quiet.');
      continue;
    }
    lists.set(channel, rows);
    // Somebody else traded meanwhile: the lookups belong to neither list.
    if (JSON.stringify(after.items) !== JSON.stringify(before.items)) {
      if (books.isAlone) books.broke(channel, 'the stock list changed while all was quiet.');
      continue;
    }
    for (const [place, found] of lookups.entries()) agree(books, channel, rows[place], found);
  }
  if (books.stock) checkSums(books, lists);
}

function agree(books: Books, channel: number, row: ListRow | undefined, found: Lookup | SluiceError): void {
  if (!row) return;
  if (found instanceof SluiceError)
    return books.broke(channel, `the lookup of ${row.sku} failed when all was quiet: ${found.message}`);
  for (const name of ['available', 'reserve_remaining'] as const) {
    if (row[name] !== found[name])
      books.broke(
        channel,
        `${row.sku} has ${row[name]} ${name} in the list and ${found[name]} in the lookup.`,
      );
  }
}

/** Channels outside this run. */
const OTHERS = -1;

/**
 * The naive model in the state that follows from what was told: variants by their place in the stock, channels by theirs. What
 * was open before the run is an order of its own. No answer tells what orders drew from pre-allocations.
 */
function modelOf({ world, orders, stock }: Books, codes: readonly string[]): Model {
  const model = new Model([...world.channels.keys()]);
  for (const [variant, code] of codes.entries()) {
    model.setStock(variant, stock?.quantityNow(code) ?? 0);
    const start = world.stock?.get(code);
    const open = (channel: number, quantity: number, backorder: boolean): void => {
      const number = `${channel} ${code} ${backorder}`;
      if (quantity > 0)
        model.restore({ channel, number, status: 1, backorder, lines: [{ variant, quantity }] });
    };
    let ahead = start?.backordered ?? 0;
    for (const channel of world.channels.keys()) {
      const grant = world.grants.get(grantKey(channel, code));
      if (!grant) continue;
      model.setAllocation(channel, variant, grant.allocated_qty, grant.reserve_quota);
      open(channel, grant.backordered_qty, true);
      ahead -= grant.backordered_qty;
    }
    open(OTHERS, ahead, true);
    open(OTHERS, start?.unshipped ?? 0, false);
  }
  for (const { channel, body, needs, shown, states } of orders.values()) {
    if (shown === null || states.certain === null) continue;
    const lines = [...needs].flatMap(([code, quantity]) => {
      const variant = codes.indexOf(code);
      return variant === -1 ? [] : [{ variant, quantity }];
    });
    const { order_number: number, is_backorder: backorder } = body;
    model.restore({ channel, number, status: states.certain, backorder, lines });
  }
  return model;
}

/** Every number follows from what was told, by the sums and formulas of the naive model. */
function checkSums(books: Books, lists: ReadonlyMap<number, readonly ListRow[]>): void {
  const codes = [...(books.world.stock?.keys() ?? [])];
  const model = modelOf(books, codes);
  for (const [variant, code] of codes.entries()) {
    const quantity = model.physical.get(variant) ?? 0;
    const there = model.left(variant);
    const taken = model.unshipped(variant) + model.backordered(variant);
    const rows = [...lists].flatMap(([channel, list]) =>
      list.filter((row) => row.product_code === code).map((row) => ({ channel, row })),
    );
    for (const { channel, row } of rows) {
      const common = Math.max(0, quantity - taken - row.allocated);
      checkRow(books, channel, row, {
        quantity,
        common,
        there,
        left: model.reserveRemaining(channel, variant),
      });
    }
    checkHeld(books, code, { free: quantity - taken, there }, rows);
  }
}

interface Expected {
  quantity: number;
  common: number;
  /** In the warehouse, and held by no unshipped normal order: no channel is offered more. */
  there: number;
  /** Of the channel's quota for backorders. */
  left: number;
}

function checkRow(books: Books, channel: number, row: ListRow, expected: Expected): void {
  const { quantity, common, there, left } = expected;
  const grant = books.world.grants.get(grantKey(channel, row.product_code));
  const broke = (words: string): void =>
    books.broke(channel, `${row.sku} has ${words} follow from what was told.`);
  if (row.quantity !== quantity) broke(`${row.quantity} in the warehouse, and ${quantity}`);
  // Which channel drew on its own holding depends on who came first: from none to all of it is left.
  const most = Math.min(common + (grant?.allocated_qty ?? 0), there);
  if (row.available < common || row.available > most)
    broke(`${row.available} available, and ${common} to ${most}`);
  if (row.reserve_remaining !== left) broke(`${row.reserve_remaining} left to backorder, and ${left}`);
}

/** What the channels hold for themselves comes to the sum that each of them is shown. */
function checkHeld(
  books: Books,
  code: string,
  { free, there }: { free: number; there: number },
  rows: readonly { channel: number; row: ListRow }[],
): void {
  const [first] = rows;
  // Channels outside this run hold some of it too.
  const start = books.world.stock?.get(code)?.allocated ?? 0;
  const granted = books.world.channels.map(
    (_, channel) => books.world.grants.get(grantKey(channel, code))?.allocated_qty ?? 0,
  );
  if (!first || granted.reduce((a, b) => a + b, 0) !== start) return;
  // An overcommitted item shows what is there, and no longer what each channel holds.
  if (first.row.allocated > there) return;
  const common = Math.max(0, free - first.row.allocated);
  const held = books.world.channels.map((_, channel) => {
    const own = rows.find((one) => one.channel === channel)?.row;
    return own ? own.available - common : (granted[channel] ?? 0);
  });
  const sum = held.reduce((a, b) => a + b, 0);
  if (sum !== first.row.allocated)
    books.broke(
      first.channel,
      `${code} shows ${first.row.allocated} allocated, and the channels hold ${sum}.`,
    );
}

async function inTurns<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < list.length; start += AT_ONCE)
    results.push(...(await Promise.all(list.slice(start, start + AT_ONCE).map(work))));
  return results;
}
