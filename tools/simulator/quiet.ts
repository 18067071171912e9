// After the load: settles unanswered requests and checks that every number follows from the answers.
import { SluiceError } from '../../clients/typescript/src/index.ts';
import { checkIntakes, checkLists, finalStateOf } from '../../verify/observer/final-state.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import type { ListRow, Lookup } from '../../verify/observer/shapes.ts';
import type { Shop } from './shop.ts';

/** The maximum number of SKUs per channel that are looked up. */
const LOOKUPS_MAX = 300;
const AT_ONCE = 8;

/**
 * Resends unsettled orders. No other request is in flight, so the answer shows the current state of the order.
 */
export async function settle(observer: Observer, shops: readonly Shop[]): Promise<void> {
  const unsure = [...observer.orders.values()].filter(
    (order) => order.lost + order.lost_reports > 0 || order.states.certain === null,
  );
  await inTurns(unsure, async (order) => {
    order.states.settle();
    await shops[order.channel]?.resend(order.body);
  });
}

export async function checkQuiet(observer: Observer, shops: readonly Shop[]): Promise<void> {
  checkIntakes(observer);
  const lists = new Map<number, ListRow[]>();
  for (const [channel, shop] of shops.entries()) {
    const before = await shop.list();
    const rows = before instanceof SluiceError ? [] : (before.items ?? []);
    const lookups = await inTurns(rows.slice(0, LOOKUPS_MAX), ({ sku }) => shop.lookup(sku));
    const after = await shop.list();
    if (before instanceof SluiceError || after instanceof SluiceError) {
      observer.addViolation(channel, 'the stock list could not be read after the load had stopped.');
      continue;
    }
    lists.set(channel, rows);
    // Another client ordered meanwhile, so the lookups may match neither list.
    if (JSON.stringify(after.items) !== JSON.stringify(before.items)) {
      if (observer.isAlone)
        observer.addViolation(channel, 'the stock list changed after the load had stopped.');
      continue;
    }
    for (const [place, found] of lookups.entries()) agree(observer, channel, rows[place], found);
  }
  if (observer.isAlone) checkLists(observer, finalStateOf(observer, null), lists, false);
}

function agree(
  observer: Observer,
  channel: number,
  row: ListRow | undefined,
  found: Lookup | SluiceError,
): void {
  if (!row) return;
  if (found instanceof SluiceError)
    return void observer.addViolation(
      channel,
      `the lookup of ${row.sku} failed after the load had stopped: ${found.message}`,
    );
  for (const name of ['available', 'reserve_remaining'] as const) {
    if (row[name] !== found[name])
      observer.addViolation(
        channel,
        `${row.sku} has ${row[name]} ${name} in the list and ${found[name]} in the lookup.`,
      );
  }
}

async function inTurns<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < list.length; start += AT_ONCE)
    results.push(...(await Promise.all(list.slice(start, start + AT_ONCE).map(work))));
  return results;
}
