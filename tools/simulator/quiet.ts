// When all is quiet: what got no answer is settled, and every number must follow from what was told.
import { SluiceError } from '../../clients/typescript/src/index.ts';
import { isOpen } from '../../verify/drill/rules.ts';
import type { Books } from './books.ts';
import { certainState } from './orders.ts';
import type { ListRow, Lookup } from './shapes.ts';
import type { Shop } from './shop.ts';
import { grantKey } from './world.ts';

/** Of one channel; a longer list is looked at in part. */
const LOOKUPS_MAX = 300;
const AT_ONCE = 8;

/** A resend shows where an order is: nothing is on its way any more. */
export async function settle(books: Books, shops: readonly Shop[]): Promise<void> {
  const unsure = [...books.orders.values()].filter((order) => order.lost > 0 || certainState(order) === null);
  await inTurns(unsure, async (order) => {
    order.pending = 0;
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

interface Open {
  shipped: number;
  unshipped: number;
  backordered: number;
}

/** Contract 2.3.1 to 2.3.3 with 2.3.2b, on the numbers that follow from what was told. */
function checkSums(books: Books, lists: ReadonlyMap<number, readonly ListRow[]>): void {
  const sums = openSums(books);
  const none = { shipped: 0, unshipped: 0, backordered: 0 };
  for (const [code, start] of books.world.stock ?? []) {
    const own = sums.get(code) ?? none;
    const quantity = (books.stock?.quantityNow(code) ?? 0) - own.shipped;
    const there = Math.max(0, quantity - start.unshipped - own.unshipped);
    const taken = start.unshipped + own.unshipped + start.backordered + own.backordered;
    const rows = [...lists].flatMap(([channel, list]) =>
      list.filter((row) => row.product_code === code).map((row) => ({ channel, row })),
    );
    for (const { channel, row } of rows) {
      const common = Math.max(0, quantity - taken - row.allocated);
      const ahead = sums.get(grantKey(channel, code))?.backordered ?? 0;
      checkRow(books, channel, row, { quantity, common, there, ahead });
    }
    checkHeld(books, code, { free: quantity - taken, there }, rows);
  }
}

interface Expected {
  quantity: number;
  common: number;
  /** In the warehouse, and held by no unshipped normal order: no channel is offered more. */
  there: number;
  /** Open backorders of the channel from this run. */
  ahead: number;
}

function checkRow(books: Books, channel: number, row: ListRow, expected: Expected): void {
  const { quantity, common, there, ahead } = expected;
  const grant = books.world.grants.get(grantKey(channel, row.product_code));
  const broke = (words: string): void =>
    books.broke(channel, `${row.sku} has ${words} follow from what was told.`);
  if (row.quantity !== quantity) broke(`${row.quantity} in the warehouse, and ${quantity}`);
  // Which channel drew on its own holding depends on who came first: from none to all of it is left.
  const most = Math.min(common + (grant?.allocated_qty ?? 0), there);
  if (row.available < common || row.available > most)
    broke(`${row.available} available, and ${common} to ${most}`);
  const left = grant ? Math.max(0, grant.reserve_quota - grant.backordered_qty - ahead) : 0;
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

function openSums(books: Books): Map<string, Open> {
  const sums = new Map<string, Open>();
  const add = (key: string, name: keyof Open, quantity: number): void => {
    const open = sums.get(key) ?? { shipped: 0, unshipped: 0, backordered: 0 };
    open[name] += quantity;
    sums.set(key, open);
  };
  for (const order of books.orders.values()) {
    const status = certainState(order);
    if (order.shown === null || status === null) continue;
    for (const [code, quantity] of order.needs) {
      if (status === 3) add(code, 'shipped', quantity);
      if (!isOpen(status)) continue;
      add(code, order.body.is_backorder ? 'backordered' : 'unshipped', quantity);
      if (order.body.is_backorder) add(grantKey(order.channel, code), 'backordered', quantity);
    }
  }
  return sums;
}

async function inTurns<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < list.length; start += AT_ONCE)
    results.push(...(await Promise.all(list.slice(start, start + AT_ONCE).map(work))));
  return results;
}
