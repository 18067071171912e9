// Compares what the ledger says was acknowledged with the service's answers and its database. Call it when every command
// is settled and no request is in flight.
import { Admin } from '../kit/admin.ts';
import { ADMIN_TOKEN, call } from '../kit/service.ts';
import {
  checkIntakes,
  checkLists,
  checkReconciled,
  finalStateOf,
  type Lists,
} from '../observer/final-state.ts';
import { requestWords } from '../observer/requests.ts';
import type { FeedReader } from '../observer/feed.ts';
import type { Status } from '../observer/order-states.ts';
import type { ListRow } from '../observer/shapes.ts';
import { Account } from './account.ts';
import { cancellationFault, checkOrder } from './check-order.ts';
import { checkStock, movedByHand } from './check-stock.ts';
import { readLedger } from './ledger.ts';
import type { Keys } from './setup.ts';
import { Stored } from './stored.ts';

export interface CheckOptions {
  /** The driver's ledger. */
  file: string;
  database_url: string;
  /** A process of the service. */
  origin: string;
  keys: Keys;
  /** Has polled the order feed since before the first order. */
  feed?: FeedReader;
}

export interface DrillVerdict {
  /** One sentence per violation, with the ledger lines that prove it. Empty if there are none. */
  violations: string[];
  /** Stored orders. */
  orders: number;
  /** Orders that the service cancelled because they were not paid. */
  expired: number;
}

export async function checkDrill(options: CheckOptions): Promise<DrillVerdict> {
  const account = await readAccount(options.file);
  const { observer, violations, catalogue } = account;
  const addViolation = (text: string): void => void observer.addViolation(null, text);
  for (const { command, line } of account.unsettled())
    addViolation(`${requestWords(command)}, sent in line ${line}, was never settled.`);
  checkIntakes(observer);
  await options.feed?.catchUp();
  const readers = options.feed ? [options.feed, await options.feed.replayed()] : [];
  const cancellations = new Set(
    account
      .commandsOf('report')
      .flatMap(({ command }) => (command.status === 88 ? command.order_number : [])),
  );
  return Stored.read(options.database_url, async (stored) => {
    const drawn = new Map<string, Map<string, number>>();
    const walks = new Map<string, Status[]>();
    const missing = new Set([...observer.orders.values()].filter(({ shown }) => shown !== null));
    let [orders, expired] = [0, 0];
    const ids = catalogue.channels.map(({ id }) => id);
    for await (const found of stored.orders()) {
      orders += 1;
      const known = observer.orders.get(found.order_number);
      if (known) missing.delete(known);
      checkOrder(observer, found, ids);
      if (found.history.some(({ source }) => source === 'service')) expired += 1;
      const fault = cancellationFault(found, {
        isAsked: cancellations.has(found.order_number),
        mayExpire: catalogue.channels.some(({ id, expires }) => id === found.channel_id && expires),
      });
      if (fault !== null) addViolation(`order ${found.order_number}: ${fault}.`);
      walks.set(
        found.order_number,
        found.history.map(({ to }) => to),
      );
      const sums = new Map<string, number>();
      for (const item of found.items)
        if (item.drawn > 0) sums.set(item.variant_code, (sums.get(item.variant_code) ?? 0) + item.drawn);
      if (sums.size > 0) drawn.set(found.order_number, sums);
    }
    for (const order of missing) observer.addOrderViolation(order, 'was acknowledged but is not stored');
    for (const reader of readers) for (const sentence of reader.judge(walks)) addViolation(sentence);
    const moved = movedByHand(account, await stored.movements(), addViolation);
    const state = finalStateOf(observer, { drawn, moved });
    await checkStock(stored, account, state, addViolation);
    checkLists(observer, state, await listsOf(options), true);
    await checkReconciled(observer, new Admin(options.origin, ADMIN_TOKEN));
    return { violations: [...violations], orders, expired };
  });
}

/** The stock list of every channel without load, to check contract 2.3.1 to 2.3.3 and 2.3.2b. */
async function listsOf({ origin, keys }: CheckOptions): Promise<Lists> {
  const lists = new Map<number, ListRow[]>();
  for (const [channel, key] of keys.entries()) {
    const { json, status, text } = await call(`${origin}/api/v1/inventory`, 'GET', undefined, {
      'x-api-key': key,
    });
    if (status !== 200) throw new Error(`GET /inventory was answered ${status}: ${text}`);
    lists.set(channel, json.data as ListRow[]);
  }
  return lists;
}

async function readAccount(file: string): Promise<Account> {
  let account: Account | null = null;
  for await (const { line, fact } of readLedger(file)) {
    if ('catalogue' in fact) account = new Account(fact.catalogue);
    account?.add(line, fact);
  }
  if (!account) throw new Error(`${file} does not begin with a catalogue`);
  return account;
}
