// intake_grown_vs_empty: hot intake on the database of a large shop with years of data and on an empty
// database, each with a separate service, measured alternately. Full run only: filling the database takes
// minutes and some gigabytes.
import { makeCatalogue, say, type Bench } from './bench.ts';
import { analyzeOrders, storeOrders, type BenchChannel } from './catalogue.ts';
import { withClient } from './database.ts';
import { checkService } from './final-checks.ts';
import type { Job } from './job.ts';
import { record } from './rounds.ts';
import { hotOrders, type Results } from './runs.ts';
import type { GrownRun } from './targets.ts';
import type { ServiceProcess } from '../../verify/kit/process.ts';

const GROWN = { variants: 1_000_000, orders: 5_000_000 };
/** Only the special SKUs and a few more. */
const EMPTY = { variants: 20, orders: 0 };

interface Shop {
  name: GrownRun;
  variants: number;
  channel: BenchChannel;
  service: ServiceProcess;
}

export async function measureGrown(bench: Bench): Promise<Results[]> {
  const shops = [await makeShop(bench, 'grown', GROWN), await makeShop(bench, 'empty', EMPTY)];
  const rounds: Results[] = [];
  for (let round = 1; round <= bench.options.rounds; round++) {
    const results: Results = new Map();
    for (const shop of round % 2 === 1 ? shops : shops.toReversed()) {
      const when = `round ${round} of ${bench.options.rounds}`;
      results.set(shop.name, await record(bench, when, shop.name, hotJob(bench, shop)));
    }
    rounds.push(results);
  }
  for (const { name, service } of shops) {
    say(`reconciling the ${name} database`);
    await checkService(bench, service, `the ${name} database`);
    await service.stop();
  }
  return rounds;
}

const hotJob = (bench: Bench, { service, variants, channel }: Omit<Shop, 'name'>): Job => ({
  ...hotOrders(bench, service, variants),
  keys: [channel.key],
});

async function makeShop(bench: Bench, name: GrownRun, size: typeof GROWN): Promise<Shop> {
  const { database, secret, signal } = bench;
  const { variants, orders: count } = size;
  say(`creating the ${name} database: ${thousands(variants)} variants, ${thousands(count)} orders`);
  const databaseName = `sluice_${name}`;
  const channel = await makeCatalogue(database, databaseName, secret, variants);
  await withClient(database.urlOf(databaseName), async (client) => {
    const orders = { channelId: channel.id, variants, prefix: 'OLD', count };
    await storeOrders(client, orders, (stored) => {
      say(`  ${thousands(stored)} orders`);
      signal.throwIfAborted();
    });
    if (count > 0) await analyzeOrders(client);
  });
  await database.checkpoint();
  const service = await bench.startService(databaseName);
  // As in the other database: the code gets compiled, and the plans match the data.
  await record(bench, 'warming up', name, hotJob(bench, { service, variants, channel }));
  await withClient(database.urlOf(databaseName), analyzeOrders);
  return { name, variants, channel, service };
}

const thousands = (count: number): string => count.toLocaleString('en');
