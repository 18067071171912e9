// Adds missing demo data; existing data is not changed.
import type { Sealer } from '../../platform/secrets/keys.ts';
import { readAllocation } from '../../core/allocations/store.ts';
import { findCommonCode } from '../../core/codes/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { listExchangeRates } from '../../core/rates/store.ts';
import {
  lookUpMappings,
  lookUpProducts,
  lookUpVariants,
  lockCatalogue,
} from '../../core/products/import-store.ts';
import { findChannelIds, hasOrdersOfOthers, lockSeed } from './store.ts';
import { setAllocation } from '../../core/allocations/changes.ts';
import { changing, type Actor } from '../../core/journal/change.ts';
import { createChannel } from '../../core/channels/changes.ts';
import { COURIER_GROUP, putCommonCode } from '../../core/codes/changes.ts';
import {
  DEMO_CHANNELS,
  DEMO_COURIERS,
  DEMO_PRODUCTS,
  DEMO_RATES,
  DEMO_STOCK,
  type DemoChannel,
} from './data.ts';
import { mustBeDone } from '../../platform/admin-api/outcome.ts';
import { addExchangeRate } from '../../core/rates/changes.ts';
import { planMappings } from '../../core/mappings/import.ts';
import { NO_PROGRESS, type Plan } from '../../core/imports/plan.ts';
import { Problems } from '../../platform/csv/problems.ts';
import { planProducts } from '../../core/products/import.ts';
import { planStock } from '../../core/stock/import.ts';

export interface SeedResult {
  /** Number of added rows by name; all 0 on a second run. */
  added: Record<string, number>;
  channels: { id: number; name: string; api_key: string }[];
}

interface Seeding {
  tx: Tx;
  by: Actor;
  sealer: Sealer;
  problems: Problems;
  /** Channel ids by name. */
  channels: Map<string, number>;
  /** For the journal: what the imports changed. */
  touched: { variant_ids: number[]; channel_ids: number[] };
}

export const seedDemo = (tx: Tx, by: Actor, { sealer, force }: { sealer: Sealer; force: boolean }) =>
  changing<SeedResult, 'real_orders_present' | 'demo_data_conflict'>(tx, by, async () => {
    await lockSeed(tx);
    await lockCatalogue(tx);
    const names = DEMO_CHANNELS.map(({ fields }) => fields.name);
    const channels = await findChannelIds(tx, names);
    if (!force && (await hasOrdersOfOthers(tx, [...channels.values()])))
      return { kind: 'real_orders_present' };
    const touched = { variant_ids: [], channel_ids: [] };
    const seeding = { tx, by, sealer, problems: new Problems(), channels, touched };
    const result = await addAll(seeding);
    const [problem] = seeding.problems.first(1);
    if (problem) return { kind: 'demo_data_conflict', problem: problem.fact };
    if (Object.values(result.added).every((n) => n === 0)) return { done: result, audit: 'nothing_changed' };
    return {
      done: result,
      audit: { action: 'seed.demo', subject: 'demo', before: null, after: result.added },
      journal: touched,
    };
  });

async function addAll(seeding: Seeding): Promise<SeedResult> {
  const products = await seedProducts(seeding);
  const stock = await seedStock(seeding);
  const channels = await seedChannels(seeding);
  const added = {
    ...products,
    ...stock,
    channels: channels.length,
    mappings: await sum(DEMO_CHANNELS, (demo) => seedMappings(seeding, demo)),
    allocations: await sum(DEMO_CHANNELS, (demo) => seedAllocations(seeding, demo)),
    exchange_rates: await sum(DEMO_RATES, (rate) => seedRate(seeding, rate)),
    couriers: await sum(DEMO_COURIERS, (courier) => seedCourier(seeding, courier)),
  };
  return { added, channels };
}

async function sum<T>(list: readonly T[], add: (one: T) => Promise<number>): Promise<number> {
  let total = 0;
  for (const one of list) total += await add(one);
  return total;
}

const channelId = ({ channels }: Seeding, demo: DemoChannel): number => channels.get(demo.fields.name) ?? 0;

async function carryOut({ tx, problems, touched }: Seeding, plan: Plan): Promise<void> {
  if (problems.count > 0 || !plan.changes) return;
  const applied = await plan.apply(tx);
  if ('kind' in applied) throw new RangeError(`demo data were refused: ${applied.kind}`);
  const { variant_ids = [], channel_ids = [] } = applied;
  touched.variant_ids.push(...variant_ids);
  touched.channel_ids.push(...channel_ids);
}

async function seedProducts(seeding: Seeding): Promise<{ products: number; variants: number }> {
  const { tx, problems } = seeding;
  const codes = [...new Set(DEMO_PRODUCTS.map(({ product_code }) => product_code))];
  const present = new Set((await lookUpProducts(tx, codes)).map(({ code }) => code));
  const missing = DEMO_PRODUCTS.filter(({ product_code }) => !present.has(product_code));
  await carryOut(seeding, await planProducts(tx, missing, problems, NO_PROGRESS));
  return { products: codes.length - present.size, variants: missing.length };
}

/** Missing rows only: a second seed must not undo shipments since the first. */
async function seedStock(seeding: Seeding): Promise<{ stock_rows: number }> {
  const { tx, by, problems } = seeding;
  const codes = DEMO_STOCK.map(({ variant_code }) => variant_code);
  const variants = await lookUpVariants(tx, codes);
  const stocked = new Set(variants.filter(({ quantity }) => quantity !== null).map(({ code }) => code));
  const missing = DEMO_STOCK.filter(({ variant_code }) => !stocked.has(variant_code));
  const how = { by, problems, progress: NO_PROGRESS };
  await carryOut(seeding, await planStock(tx, missing, how));
  return { stock_rows: missing.length };
}

async function seedChannels({ tx, by, sealer, channels }: Seeding): Promise<SeedResult['channels']> {
  const made: SeedResult['channels'] = [];
  for (const { fields } of DEMO_CHANNELS) {
    if (channels.has(fields.name)) continue;
    const { channel, api_key } = mustBeDone(await createChannel(tx, by, { sealer, fields }));
    channels.set(fields.name, channel.id);
    made.push({ id: channel.id, name: channel.name, api_key });
  }
  return made;
}

async function seedMappings(seeding: Seeding, demo: DemoChannel): Promise<number> {
  const { tx, problems } = seeding;
  const id = channelId(seeding, demo);
  const skus = demo.mappings.map(({ sku }) => sku);
  const present = new Set((await lookUpMappings(tx, id, skus)).map(({ sku }) => sku));
  const missing = demo.mappings.filter(({ sku }) => !present.has(sku));
  await carryOut(seeding, await planMappings(tx, id, missing, problems, NO_PROGRESS));
  return missing.length;
}

/** In the order of variant ids, like every lock of stock rows. */
async function seedAllocations(seeding: Seeding, demo: DemoChannel): Promise<number> {
  const { tx, by } = seeding;
  const channel_id = channelId(seeding, demo);
  const codes = demo.allocations.map(({ variant_code }) => variant_code);
  const variants = (await lookUpVariants(tx, codes)).toSorted((a, b) => a.id - b.id);
  let added = 0;
  for (const variant of variants) {
    const wanted = demo.allocations.find(({ variant_code }) => variant_code === variant.code);
    if (!wanted || (await readAllocation(tx, channel_id, variant.id))) continue;
    const outcome = await setAllocation(tx, by, { channel_id, ...wanted });
    if (outcome.kind !== 'done') throw new RangeError(`allocation of ${variant.code}: ${outcome.kind}`);
    added++;
  }
  return added;
}

async function seedRate({ tx, by }: Seeding, rate: { currency_code: string; rate: string }): Promise<number> {
  const { currency_code } = rate;
  if ((await listExchangeRates(tx, { currency_code, after: null, limit: 1 })).length > 0) return 0;
  await addExchangeRate(tx, by, { ...rate, effective_at: null });
  return 1;
}

async function seedCourier({ tx, by }: Seeding, courier: { code: string; name: string }): Promise<number> {
  if (await findCommonCode(tx, COURIER_GROUP, courier.code)) return 0;
  await putCommonCode(tx, by, { group: COURIER_GROUP, ...courier });
  return 1;
}
