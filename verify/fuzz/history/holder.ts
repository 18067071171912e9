// A separate transaction that repeatedly locks rows of the newest items and orders for a moment, like a slow import or an
// administrator's query. It never waits for a row itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { connected } from '../../kit/connection.ts';
import { Random } from '../../kit/random.ts';

const HOLD_MS_MAX = 15;
const PAUSE_MS_MAX = 150;

const HELD = [
  `select from stock where variant_id > (select max(variant_id) - 3 from stock) and variant_id % 3 = any($1)
   for update skip locked`,
  `select from orders where id > (select max(id) - 6 from orders) and id % 3 = any($1) for update skip locked`,
] as const;

/** Resolves once `shouldContinue` returns false. */
export const holdRows = (url: string, seed: number, shouldContinue: () => boolean): Promise<void> =>
  connected(url, async (client) => {
    const random = new Random(seed);
    while (shouldContinue()) {
      await client.query('begin');
      await client.query(random.pick(HELD), [[random.below(3), random.below(3)]]);
      await sleep(random.below(HOLD_MS_MAX));
      await client.query('rollback');
      await sleep(random.below(PAUSE_MS_MAX));
    }
  });
