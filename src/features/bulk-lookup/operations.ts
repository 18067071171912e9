// POST /inventory/lookup: the single lookup for many SKUs, from one snapshot.
import type { Static } from '../../platform/schema/json-schema.ts';
import type { Services } from '../../start/services.ts';
import type { BulkLookup } from '../../core/channel-api/schemas.ts';

export async function lookUpMany(
  { inventory, observations }: Services,
  channelId: number,
  skus: readonly string[],
): Promise<Static<typeof BulkLookup>> {
  const distinct = [...new Set(skus)];
  const found = await inventory.findAll(channelId, distinct);
  const answer: Static<typeof BulkLookup> = { data: [], unknown: [] };
  for (const [index, sku] of distinct.entries()) {
    const numbers = found[index];
    if (numbers) answer.data.push({ sku, ...numbers });
    else {
      answer.unknown.push(sku);
      observations.unmappedSku(channelId, sku, 'lookups');
    }
  }
  return answer;
}
