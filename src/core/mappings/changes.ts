// Mappings of channel SKUs to internal variants. Existing orders keep their variant.
import type { Tx } from '../../platform/database/database.ts';
import { deleteMappings, findMappings, lockMappings, upsertMappings, type Mapping } from './store.ts';
import { findVariants } from '../products/store.ts';
import { changing, type Actor } from '../journal/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import { repeatedPositions, type RefusedAs } from '../../platform/admin-api/refused.ts';

/**
 * Adds or replaces the given mappings. Only the differences are audited, so that hourly uploads do not fill the log.
 */
export const putMappings = (
  tx: Tx,
  by: Actor,
  { channel_id, mappings }: { channel_id: number; mappings: readonly Mapping[] },
) =>
  changing<object, 'channel_unknown' | 'channel_archived' | 'variants_unknown' | 'skus_repeated'>(
    tx,
    by,
    async () => {
      const skus = mappings.map(({ sku }) => sku);
      const repeated = repeatedPositions(skus);
      if (repeated.length > 0) return { kind: 'skus_repeated', positions: repeated };
      const channel = await lockMappings(tx, channel_id);
      if (!channel) return { kind: 'channel_unknown', channel_id };
      if (channel.archived) return { kind: 'channel_archived', channel_id };
      const codes = [...new Set(mappings.map((mapping) => mapping.variant_code))];
      const variantIds = new Map((await findVariants(tx, codes)).map(({ code, id }) => [code, id]));
      const wanted = mappings.map((mapping) => ({
        ...mapping,
        variant_id: variantIds.get(mapping.variant_code),
      }));
      const positions = [...wanted.entries()].flatMap(([at, { variant_id }]) =>
        variant_id === undefined ? [at] : [],
      );
      if (positions.length > 0) return { kind: 'variants_unknown', positions };

      const existing = await findMappings(tx, channel_id, skus);
      const codeBySku = new Map(existing.map(({ sku, variant_code }) => [sku, variant_code]));
      const changed = wanted.filter(({ sku, variant_code }) => codeBySku.get(sku) !== variant_code);
      if (changed.length === 0) return { done: {}, audit: 'nothing_changed' };
      await upsertMappings(
        tx,
        channel_id,
        changed.flatMap(({ sku, variant_id }) => (variant_id === undefined ? [] : [{ sku, variant_id }])),
      );
      const changedSkus = new Set(changed.map(({ sku }) => sku));
      return {
        done: {},
        audit: {
          action: 'mapping.put',
          subject: `channel:${channel_id}`,
          before: { mappings: existing.filter(({ sku }) => changedSkus.has(sku)) },
          after: { mappings: changed.map(({ sku, variant_code }) => ({ sku, variant_code })) },
        },
        journal: { channel_ids: [channel_id], skus: [...changedSkus] },
      };
    },
  );

/**
 * Removes the mappings of the given SKUs; others are ignored. `removed`: the old mappings, from which they can be
 * restored.
 */
export const removeMappings = (
  tx: Tx,
  by: Actor,
  { channel_id, skus }: { channel_id: number; skus: readonly string[] },
) =>
  changing<{ removed: Mapping[] }, 'channel_unknown'>(tx, by, async () => {
    if (!(await lockMappings(tx, channel_id))) return { kind: 'channel_unknown', channel_id };
    const removed = await findMappings(tx, channel_id, skus);
    if (removed.length === 0) return { done: { removed }, audit: 'nothing_changed' };
    const mapped = removed.map(({ sku }) => sku);
    await deleteMappings(tx, channel_id, mapped);
    return {
      done: { removed },
      audit: {
        action: 'mapping.delete',
        subject: `channel:${channel_id}`,
        before: { mappings: removed },
        after: { mappings: [] },
      },
      journal: { channel_ids: [channel_id], skus: mapped },
    };
  });

/** Removes one mapping, which must exist. */
export async function removeMapping(
  tx: Tx,
  by: Actor,
  { channel_id, sku }: { channel_id: number; sku: string },
): Promise<Done | RefusedAs<'channel_unknown' | 'mapping_unknown'>> {
  const outcome = await removeMappings(tx, by, { channel_id, skus: [sku] });
  if (outcome.kind === 'done' && outcome.removed.length === 0)
    return { kind: 'mapping_unknown', channel_id, sku };
  return outcome;
}
