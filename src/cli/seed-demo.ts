// Puts the demo data in, adding only what is not there: what somebody changed since stays as it is.
import { setAllocation } from '../backoffice/allocations.ts';
import { COURIER_GROUP } from '../backoffice/common-codes.ts';
import type { Sealer } from '../keys.ts';
import { readAllocation } from '../store/allocations.ts';
import { insertAudit, type Actor } from '../store/audit.ts';
import { lockCommonCode, upsertCommonCode } from '../store/common-codes.ts';
import type { Tx } from '../store/database.ts';
import { insertExchangeRate, listExchangeRates } from '../store/exchange-rates.ts';
import { findMappings, findProducts, findVariants, lockCatalogue } from '../store/import.ts';
import { appendJournal } from '../store/journal.ts';
import { findChannelIds, hasOrdersOfOthers, lockSeed } from '../store/seed.ts';
import { createAudited } from './channel.ts';
import { Failure } from './command.ts';
import { planMappings } from '../engine/import/mappings.ts';
import type { Plan } from '../engine/import/plan.ts';
import { planProducts } from './import-products.ts';
import { planStock } from './import-stock.ts';
import { Problems } from '../engine/import/problems.ts';
import { Progress } from './progress.ts';
import {
  DEMO_CHANNELS,
  DEMO_COURIERS,
  DEMO_PRODUCTS,
  DEMO_RATES,
  DEMO_STOCK,
  type DemoChannel,
} from './seed-data.ts';

export interface SeedResult {
  /** What was added, by name; all 0 the second time. */
  added: Record<string, number>;
  channels: { id: number; name: string; api_key: string }[];
}

export async function seedDemo(tx: Tx, sealer: Sealer, by: Actor, force: boolean): Promise<SeedResult> {
  await lockSeed(tx);
  await lockCatalogue(tx);
  const known = await findChannelIds(
    tx,
    DEMO_CHANNELS.map(({ fields }) => fields.name),
  );
  if (!force && (await hasOrdersOfOthers(tx, [...known.values()]))) {
    throw new Failure(
      'this database has orders of real channels; use --force to add demo data all the same.',
    );
  }
  const products = await seedProducts(tx);
  const stock = await seedStock(tx, by);
  const channels = await seedChannels(tx, sealer, by, known);
  const added = {
    ...products,
    ...stock,
    channels: channels.length,
    mappings: await sum(DEMO_CHANNELS, (demo) => seedMappings(tx, demo, channelId(known, demo))),
    allocations: await sum(DEMO_CHANNELS, (demo) => seedAllocations(tx, by, demo, channelId(known, demo))),
    exchange_rates: await sum(DEMO_RATES, (rate) => seedRate(tx, rate)),
    couriers: await sum(DEMO_COURIERS, (courier) => seedCourier(tx, courier)),
  };
  if (Object.values(added).some((n) => n > 0)) {
    await insertAudit(tx, by, { action: 'seed.demo', subject: 'demo', before: null, after: added });
  }
  return { added, channels };
}

async function sum<T>(list: readonly T[], add: (one: T) => Promise<number>): Promise<number> {
  let total = 0;
  for (const one of list) total += await add(one);
  return total;
}

const channelId = (known: ReadonlyMap<string, number>, demo: DemoChannel): number =>
  known.get(demo.fields.name) ?? 0;

async function carryOut(tx: Tx, plan: Plan, problems: Problems): Promise<void> {
  const [first] = problems.first(1);
  if (first) throw new Failure(`the demo data do not fit this database: ${first.text}`);
  if (!plan.changes) return;
  const { variant_ids, channel_ids } = await plan.apply(tx);
  if (variant_ids.length + channel_ids.length > 0) await appendJournal(tx, { variant_ids, channel_ids });
}

async function seedProducts(tx: Tx): Promise<{ products: number; variants: number }> {
  const codes = [...new Set(DEMO_PRODUCTS.map(({ product_code }) => product_code))];
  const present = new Set((await findProducts(tx, codes)).map(({ code }) => code));
  const missing = DEMO_PRODUCTS.filter(({ product_code }) => !present.has(product_code));
  const problems = new Problems();
  await carryOut(tx, await planProducts(tx, missing, problems, new Progress()), problems);
  return { products: codes.length - present.size, variants: missing.length };
}

/** Only rows that are not there: a second seed must not undo what was shipped since the first. */
async function seedStock(tx: Tx, by: Actor): Promise<{ stock_rows: number }> {
  const variants = await findVariants(
    tx,
    DEMO_STOCK.map(({ variant_code }) => variant_code),
  );
  const stocked = new Set(variants.filter(({ quantity }) => quantity !== null).map(({ code }) => code));
  const missing = DEMO_STOCK.filter(({ variant_code }) => !stocked.has(variant_code));
  const problems = new Problems();
  await carryOut(tx, await planStock(tx, missing, by.actor, problems, new Progress()), problems);
  return { stock_rows: missing.length };
}

/** Adds the ids of new channels to `known`. */
async function seedChannels(
  tx: Tx,
  sealer: Sealer,
  by: Actor,
  known: Map<string, number>,
): Promise<SeedResult['channels']> {
  const made: SeedResult['channels'] = [];
  for (const { fields } of DEMO_CHANNELS) {
    if (known.has(fields.name)) continue;
    const { channel, api_key } = await createAudited(tx, sealer, by, fields);
    known.set(fields.name, channel.id);
    made.push({ id: channel.id, name: channel.name, api_key });
  }
  return made;
}

async function seedMappings(tx: Tx, demo: DemoChannel, id: number): Promise<number> {
  const skus = demo.mappings.map(({ sku }) => sku);
  const present = new Set((await findMappings(tx, id, skus)).map(({ sku }) => sku));
  const missing = demo.mappings.filter(({ sku }) => !present.has(sku));
  const problems = new Problems();
  await carryOut(tx, await planMappings(tx, id, missing, problems, new Progress()), problems);
  return missing.length;
}

/** In the order of the variant ids, as every lock of a stock row. */
async function seedAllocations(tx: Tx, by: Actor, demo: DemoChannel, id: number): Promise<number> {
  const codes = demo.allocations.map(({ variant_code }) => variant_code);
  const variants = (await findVariants(tx, codes)).toSorted((a, b) => a.id - b.id);
  let added = 0;
  for (const variant of variants) {
    const wanted = demo.allocations.find(({ variant_code }) => variant_code === variant.code);
    if (!wanted || (await readAllocation(tx, id, variant.id))) continue;
    const outcome = await setAllocation(tx, by, { channel_id: id, ...wanted });
    if (outcome.kind !== 'done') throw new RangeError(`allocation of ${variant.code}: ${outcome.kind}`);
    added++;
  }
  return added;
}

async function seedRate(tx: Tx, rate: { currency_code: string; rate: string }): Promise<number> {
  const { currency_code } = rate;
  if ((await listExchangeRates(tx, { currency_code, afterId: null, limit: 1 })).length > 0) return 0;
  await insertExchangeRate(tx, { ...rate, effective_at: null });
  return 1;
}

async function seedCourier(tx: Tx, courier: { code: string; name: string }): Promise<number> {
  if (await lockCommonCode(tx, COURIER_GROUP, courier.code)) return 0;
  return upsertCommonCode(tx, COURIER_GROUP, courier);
}
