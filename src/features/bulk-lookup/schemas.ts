// The lookup of many SKUs, as schemas.
import { SKU_CHARACTERS_MAX, Text } from '../../platform/schema/building-blocks.ts';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { InventoryLookup } from '../../core/channel-api/schemas.ts';

const LOOKUP_SKUS_MAX = 1_000;

export const BulkLookupRequest = Type.Object(
  {
    skus: Type.Array(Text(SKU_CHARACTERS_MAX), {
      minItems: 1,
      maxItems: LOOKUP_SKUS_MAX,
      description: 'Channel SKUs; one that is named twice is answered once.',
    }),
  },
  { title: 'BulkLookupRequest' },
);
export type BulkLookupRequest = Static<typeof BulkLookupRequest>;

export const BulkLookup = Type.Object(
  {
    data: Type.Array(InventoryLookup, { description: 'In the order of the request, all of one moment.' }),
    unknown: Type.Array(Type.String(), { description: 'SKUs that are not mapped to the channel.' }),
  },
  { title: 'BulkLookup' },
);
