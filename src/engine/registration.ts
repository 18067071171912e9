// Registering a product from what a channel says about it (contract 4.5): fetch and
// check, compare with the catalogue, apply in one transaction. Applying again changes nothing.
import type pg from 'pg';
import type { FailureReason } from '../channel-client/failure.ts';
import { fetchProductInfo } from '../channel-client/fetch-product-info.ts';
import { checkProductInfo, type ProductProposal, type ProposedSku } from '../domain/set-product.ts';
import type { Sealer } from '../keys.ts';
import { insertAudit, type Actor } from '../store/audit.ts';
import { findChannel, openApiKey } from '../store/channels.ts';
import { type Tx } from '../store/database.ts';
import { reading, type Transact } from '../store/transactions.ts';
import { appendJournal } from '../store/journal.ts';
import { findMappings, lockMappings, upsertMappings, type Mapping } from '../store/mappings.ts';
import {
  findProduct,
  findVariants,
  insertProduct,
  insertVariants,
  listVariants,
  lockProduct,
  renameProduct,
  type Product,
  type Variant,
  type VariantFields,
} from '../store/products.ts';
import { setPowers } from '../store/registration.ts';

export interface RegistrationDesk {
  pool: pg.Pool;
  sealer: Sealer;
  /** Lets the call reach private addresses. */
  allowPrivate: boolean;
}

export type Inquiry =
  | { kind: 'channel_unknown' }
  | { kind: 'api_url_missing' }
  | { kind: 'key_closed' }
  /** The channel was asked and gave no answer that can be used; the message is for the administrator. */
  | { kind: 'failed'; reason: FailureReason; message: string }
  | { kind: 'answered'; proposal: ProductProposal };

/** Asks the channel about a product and checks what it says. An inactive channel is asked too: it may be set up. */
export async function inquire(desk: RegistrationDesk, channelId: number, usercode: string): Promise<Inquiry> {
  const found = await reading(desk.pool, async (tx) => {
    const channel = await findChannel(tx, channelId);
    return channel && { channel, apiKey: await openApiKey(tx, desk.sealer, channelId) };
  });
  if (!found) return { kind: 'channel_unknown' };
  const { channel, apiKey } = found;
  if (channel.api_url === null) return { kind: 'api_url_missing' };
  if (apiKey === null) return { kind: 'key_closed' };
  const { allowPrivate } = desk;
  const answer = await fetchProductInfo({ apiUrl: channel.api_url, apiKey, usercode, allowPrivate });
  if (answer.kind === 'failed') return answer;
  return { kind: 'answered', proposal: checkProductInfo(usercode, answer.info) };
}

/** What is to be there in the end. */
export interface Registration {
  channel_id: number;
  code: string;
  name: string;
  skus: readonly ProposedSku[];
}

export type Result = 'created' | 'updated' | 'unchanged';

/** `before` is what was there under the same code; null where nothing was. */
export interface RegistrationChanges {
  product: { code: string; name: string; result: Result; before: string | null };
  variants: { code: string; power: string | null; result: Result; before: string | null }[];
  mappings: { sku: string; variant_code: string; result: Result; before: string | null }[];
}

/** What is there now. */
interface Catalogue {
  product: Product | undefined;
  variants: readonly Variant[];
  mappings: readonly Mapping[];
}

/** Something that is there already stands in the way; nothing was changed. */
export class RegistrationRefused extends Error {
  /** Variant codes of other products. */
  readonly taken: readonly string[];
  constructor(taken: readonly string[]) {
    super('the product cannot be registered');
    this.name = 'RegistrationRefused';
    this.taken = taken;
  }
}

const variantsOf = ({ skus }: Registration): VariantFields[] =>
  skus.map(({ variant_code, power }) => ({ code: variant_code, power: power === '' ? null : power }));
const skusOf = ({ skus }: Registration): string[] => skus.map((sku) => sku.option_code);
const codesOf = ({ skus }: Registration): string[] => skus.map((sku) => sku.variant_code);

/** What applying would do, as far as it can be told without a lock. */
export const preview = (desk: RegistrationDesk, wanted: Registration): Promise<RegistrationChanges> =>
  reading(desk.pool, async (tx) =>
    compare(wanted, {
      product: await findProduct(tx, wanted.code),
      variants: await findVariants(tx, codesOf(wanted)),
      mappings: await findMappings(tx, wanted.channel_id, skusOf(wanted)),
    }),
  );

/** Undefined: the channel does not exist. */
export const apply = (
  transact: Transact,
  by: Actor,
  wanted: Registration,
): Promise<RegistrationChanges | undefined> =>
  transact(async (tx) => {
    // One order of locks for all: the channel's mappings, the product, its variants by code.
    if (!(await lockMappings(tx, wanted.channel_id))) return undefined;
    const made = await insertProduct(tx, wanted.code, wanted.name);
    const before = made ? undefined : await lockProduct(tx, wanted.code);
    const product = made ?? before;
    if (!product) throw new RangeError(`product ${wanted.code} is neither new nor there`);
    const madeVariants = await insertVariants(tx, product.id, variantsOf(wanted));
    const madeIds = new Set(madeVariants.map((variant) => variant.id));
    const variants = await findVariants(tx, codesOf(wanted));
    const found = {
      product: before,
      variants: variants.filter((variant) => !madeIds.has(variant.id)),
      mappings: await findMappings(tx, wanted.channel_id, skusOf(wanted)),
    };
    const changes = compare(wanted, found);
    await write(tx, by, wanted, changes, found, { product, variants });
    return changes;
  });

/** Throws when a variant code belongs to another product: its stock and orders are not this product's. */
function compare(wanted: Registration, found: Catalogue): RegistrationChanges {
  const variantByCode = new Map(found.variants.map((variant) => [variant.code, variant]));
  const strangers = found.variants.filter((variant) => variant.product_id !== found.product?.id);
  if (strangers.length > 0) {
    throw new RegistrationRefused(strangers.map(({ code }) => code));
  }
  const targetBySku = new Map(found.mappings.map((mapping) => [mapping.sku, mapping.variant_code]));
  return {
    product: {
      code: wanted.code,
      name: wanted.name,
      result: resultOf(found.product?.name, wanted.name),
      before: found.product?.name ?? null,
    },
    variants: variantsOf(wanted).map(({ code, power }) => ({
      code,
      power,
      result: resultOf(variantByCode.get(code)?.power, power),
      before: variantByCode.get(code)?.power ?? null,
    })),
    mappings: wanted.skus.map(({ option_code, variant_code }) => ({
      sku: option_code,
      variant_code,
      result: resultOf(targetBySku.get(option_code), variant_code),
      before: targetBySku.get(option_code) ?? null,
    })),
  };
}

const resultOf = (before: string | null | undefined, after: string | null): Result => {
  if (before === undefined) return 'created';
  return before === after ? 'unchanged' : 'updated';
};

const isChange = ({ result }: { result: Result }): boolean => result !== 'unchanged';

/** Products and variants that were missing are in already; here is the rest, and the record of all of it. */
async function write(
  tx: Tx,
  by: Actor,
  wanted: Registration,
  changes: RegistrationChanges,
  found: Catalogue,
  now: { product: Product; variants: readonly Variant[] },
): Promise<void> {
  const variants = changes.variants.filter(isChange);
  const mappings = changes.mappings.filter(isChange);
  if (!isChange(changes.product) && variants.length === 0 && mappings.length === 0) return;

  const renamed = changes.product.result === 'updated';
  if (renamed) await renameProduct(tx, now.product.id, wanted.name);
  await setPowers(
    tx,
    variants.filter(({ result }) => result === 'updated'),
  );
  const idByCode = new Map(now.variants.map(({ code, id }) => [code, id]));
  const rows = mappings.map(({ sku, variant_code }) => ({
    sku,
    variant_id: idByCode.get(variant_code) as number,
  }));
  await upsertMappings(tx, wanted.channel_id, rows);
  await insertAudit(tx, by, auditEntry(wanted, changes, found));
  // A new name shows in every list with one of the product's variants, whichever channel it belongs to.
  const touched = renamed ? (await listVariants(tx, [now.product.id])).map(({ id }) => id) : [];
  const channel_ids = mappings.length > 0 ? [wanted.channel_id] : [];
  if (touched.length + channel_ids.length > 0)
    await appendJournal(tx, {
      variant_ids: [...new Set([...touched, ...rows.map((row) => row.variant_id)])],
      channel_ids,
      ...(mappings.length > 0 ? { skus: rows.map((row) => row.sku) } : {}),
    });
}

/** The differences alone, before and after. */
function auditEntry(wanted: Registration, changes: RegistrationChanges, found: Catalogue) {
  const codes = new Set(changes.variants.filter(isChange).map((variant) => variant.code));
  const skus = new Set(changes.mappings.filter(isChange).map((mapping) => mapping.sku));
  const { channel_id } = wanted;
  return {
    action: 'product.register',
    subject: `product:${wanted.code}`,
    before: found.product
      ? {
          channel_id,
          name: found.product.name,
          variants: found.variants
            .filter(({ code }) => codes.has(code))
            .map(({ code, power }) => ({ code, power })),
          mappings: found.mappings.filter(({ sku }) => skus.has(sku)),
        }
      : null,
    after: {
      channel_id,
      name: wanted.name,
      variants: changes.variants.filter(isChange).map(({ code, power }) => ({ code, power })),
      mappings: changes.mappings.filter(isChange).map(({ sku, variant_code }) => ({ sku, variant_code })),
    },
  };
}
