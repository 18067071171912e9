// Registration of a product from a channel's product information: fetch and check, compare with the catalogue, apply in
// one transaction. Idempotent.
import type pg from 'pg';
import { fetchProductInfo } from './fetch.ts';
import {
  checkProductInfo,
  variantsTaken,
  withViolations,
  type ProductProposal,
  type ProposedSku,
} from '../rules/set-product.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import type { AuditEntry } from '../../platform/audit/store.ts';
import { findChannel, openApiKey } from '../channels/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JournalEntry } from '../journal/store.ts';
import { findMappings, lockMappings, upsertMappings, type Mapping } from '../mappings/store.ts';
import {
  findProduct,
  findVariants,
  insertProduct,
  insertVariants,
  listVariants,
  lockProduct,
  renameProduct,
  setPowers,
  type Product,
  type Variant,
  type VariantFields,
} from '../products/store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { changing, type Actor } from '../journal/change.ts';
import { PRODUCT_NAME_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import type { RefusedAs } from '../../platform/admin-api/refused.ts';

/** What is needed to call a channel. */
export interface ChannelAccess {
  pool: pg.Pool;
  sealer: Sealer;
  /** Allows private addresses. */
  allowPrivate: boolean;
}

type Inquiry =
  | { kind: 'answered'; proposal: ProductProposal }
  | RefusedAs<'channel_unknown' | 'api_url_missing' | 'key_closed' | 'channel_failed' | 'product_not_found'>;

/** Fetches and checks the product information. Inactive channels are allowed, because they may be in set-up. */
export async function inquire(
  access: ChannelAccess,
  { channel_id, usercode }: { channel_id: number; usercode: string },
): Promise<Inquiry> {
  const found = await reading(access.pool, async (tx) => {
    const channel = await findChannel(tx, channel_id);
    return channel && { channel, apiKey: await openApiKey(tx, access.sealer, channel_id) };
  });
  if (!found) return { kind: 'channel_unknown', channel_id };
  const { channel, apiKey } = found;
  if (channel.api_url === null) return { kind: 'api_url_missing', channel_id };
  if (apiKey === null) return { kind: 'key_closed', channel_id };
  const { allowPrivate } = access;
  const answer = await fetchProductInfo({ apiUrl: channel.api_url, apiKey, usercode, allowPrivate });
  if (answer.kind === 'answered') {
    return { kind: 'answered', proposal: withLongName(checkProductInfo(usercode, answer.info)) };
  }
  const { kind: _, ...failure } = answer;
  return failure.reason === 'not_found'
    ? { kind: 'product_not_found', failure }
    : { kind: 'channel_failed', failure };
}

/** Adds a violation if the product name is too long to be edited here. */
function withLongName(proposal: ProductProposal): ProductProposal {
  const characters = Array.from(proposal.goods_name).length;
  if (characters <= PRODUCT_NAME_CHARACTERS_MAX) return proposal;
  const limit = { characters, characters_max: PRODUCT_NAME_CHARACTERS_MAX };
  return withViolations(proposal, [{ kind: 'name_too_long', rows: [], ...limit }]);
}

/** The selected options, or by default all that are not hidden. */
export function selectSkus(
  { skus }: ProductProposal,
  picked: readonly string[] | null,
): { kind: 'selected'; skus: ProposedSku[] } | RefusedAs<'options_unknown'> {
  if (picked === null) return { kind: 'selected', skus: skus.filter((sku) => !sku.hidden) };
  const offered = new Set(skus.map((sku) => sku.option_code));
  const positions = [...picked.entries()].flatMap(([at, code]) => (offered.has(code) ? [] : [at]));
  if (positions.length > 0) return { kind: 'options_unknown', positions };
  const wanted = new Set(picked);
  return { kind: 'selected', skus: skus.filter((sku) => wanted.has(sku.option_code)) };
}

/** The wanted state. */
export interface Registration {
  channel_id: number;
  code: string;
  name: string;
  skus: readonly ProposedSku[];
}

export type Result = 'created' | 'updated' | 'unchanged';

/** `before`: the existing value with the same code; null if there is none. */
export interface RegistrationChanges {
  product: { code: string; name: string; result: Result; before: string | null };
  variants: { code: string; power: string | null; result: Result; before: string | null }[];
  mappings: { sku: string; variant_code: string; result: Result; before: string | null }[];
}

/** The current state. */
interface Catalogue {
  product: Product | undefined;
  variants: readonly Variant[];
  mappings: readonly Mapping[];
}

const variantsOf = ({ skus }: Registration): VariantFields[] =>
  skus.map(({ variant_code, power }) => ({ code: variant_code, power: power === '' ? null : power }));
const skusOf = ({ skus }: Registration): string[] => skus.map((sku) => sku.option_code);
const codesOf = ({ skus }: Registration): string[] => skus.map((sku) => sku.variant_code);

type Comparison = { kind: 'comparable'; changes: RegistrationChanges } | VariantsTaken;
/** Variant codes that belong to another product, with its stock and orders. */
interface VariantsTaken {
  kind: 'variants_taken';
  codes: readonly string[];
}

/** The changes that applying would make, read without locks; or the proposal with its violations. */
export async function preview(
  { pool }: ChannelAccess,
  { wanted, proposal }: { wanted: Registration; proposal: ProductProposal },
): Promise<
  { kind: 'planned'; changes: RegistrationChanges } | { kind: 'impossible'; proposal: ProductProposal }
> {
  const result = await reading(pool, async (tx) =>
    compare(wanted, {
      product: await findProduct(tx, wanted.code),
      variants: await findVariants(tx, codesOf(wanted)),
      mappings: await findMappings(tx, wanted.channel_id, skusOf(wanted)),
    }),
  );
  return result.kind === 'comparable'
    ? { kind: 'planned', changes: result.changes }
    : { kind: 'impossible', proposal: withTaken(proposal, result) };
}

const withTaken = (proposal: ProductProposal, { codes }: VariantsTaken): ProductProposal =>
  withViolations(proposal, variantsTaken(proposal, codes));

export const registerProduct = (
  tx: Tx,
  by: Actor,
  { wanted, proposal }: { wanted: Registration; proposal: ProductProposal },
) =>
  changing<{ changes: RegistrationChanges }, 'channel_unknown' | 'channel_archived' | 'option_configuration'>(
    tx,
    by,
    async () => {
      const { channel_id } = wanted;
      // Lock order: the channel's mappings, the product, its variants by code.
      const channel = await lockMappings(tx, channel_id);
      if (!channel) return { kind: 'channel_unknown', channel_id };
      if (channel.archived) return { kind: 'channel_archived', channel_id };
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
        mappings: await findMappings(tx, channel_id, skusOf(wanted)),
      };
      const result = compare(wanted, found);
      if (result.kind === 'variants_taken')
        return { kind: 'option_configuration', violations: withTaken(proposal, result).violations };
      const { changes } = result;
      if (!hasChanges(changes)) return { done: { changes }, audit: 'nothing_changed' };
      const journal = await write(tx, wanted, changes, { product, variants });
      return { done: { changes }, audit: auditEntry(wanted, changes, found), journal };
    },
  );

function compare(wanted: Registration, found: Catalogue): Comparison {
  const variantByCode = new Map(found.variants.map((variant) => [variant.code, variant]));
  const taken = found.variants.filter((variant) => variant.product_id !== found.product?.id);
  if (taken.length > 0) return { kind: 'variants_taken', codes: taken.map(({ code }) => code) };
  const targetBySku = new Map(found.mappings.map((mapping) => [mapping.sku, mapping.variant_code]));
  const changes: RegistrationChanges = {
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
  return { kind: 'comparable', changes };
}

const resultOf = (before: string | null | undefined, after: string | null): Result => {
  if (before === undefined) return 'created';
  return before === after ? 'unchanged' : 'updated';
};

const isChange = ({ result }: { result: Result }): boolean => result !== 'unchanged';

const hasChanges = ({ product, variants, mappings }: RegistrationChanges): boolean =>
  isChange(product) || variants.some(isChange) || mappings.some(isChange);

/** Writes the remaining changes after missing products and variants were inserted. null: no stock list shows them. */
async function write(
  tx: Tx,
  wanted: Registration,
  changes: RegistrationChanges,
  now: { product: Product; variants: readonly Variant[] },
): Promise<JournalEntry | null> {
  const renamed = changes.product.result === 'updated';
  if (renamed) await renameProduct(tx, now.product.id, wanted.name);
  const idByCode = new Map(now.variants.map(({ code, id }) => [code, id]));
  const idOf = (code: string): number => {
    const id = idByCode.get(code);
    if (id === undefined) throw new RangeError(`variant ${code} was not stored`);
    return id;
  };
  await setPowers(
    tx,
    changes.variants
      .filter(({ result }) => result === 'updated')
      .map(({ code, power }) => ({ id: idOf(code), power })),
  );
  const rows = changes.mappings
    .filter(isChange)
    .map(({ sku, variant_code }) => ({ sku, variant_id: idOf(variant_code) }));
  await upsertMappings(tx, wanted.channel_id, rows);
  // A new name appears in the lists of all channels that map one of the product's variants.
  const touched = renamed ? (await listVariants(tx, [now.product.id])).map(({ id }) => id) : [];
  const variant_ids = [...new Set([...touched, ...rows.map((row) => row.variant_id)])];
  if (rows.length > 0)
    return { variant_ids, channel_ids: [wanted.channel_id], skus: rows.map((row) => row.sku) };
  return renamed ? { variant_ids } : null;
}

/** Only the differences, before and after. */
function auditEntry(wanted: Registration, changes: RegistrationChanges, found: Catalogue): AuditEntry {
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
