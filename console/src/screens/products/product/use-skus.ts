import { useQueries } from '@tanstack/react-query';
import { useAll } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { getPage, path } from '../../../api/request.ts';
import type { ChannelRef, Product } from '../../../api/types.ts';

const MAPPINGS_MAX = 500;
const SEARCH_CHARACTERS_MAX = 100;

export interface ChannelSku {
  channel: ChannelRef;
  sku: string;
}

/** Each channel's SKUs for the items of a product: one request per channel, searched by the product's name. */
export function useSkus(product: Product) {
  const channels = useAll('/channels');
  const query = {
    search: Array.from(product.name).slice(0, SEARCH_CHARACTERS_MAX).join(''),
    limit: MAPPINGS_MAX,
  };
  const found = useQueries({
    queries: (channels.data ?? []).map((channel) => ({
      queryKey: [path`/channels/${channel.id}/mappings`, query, product.code],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const page = await getPage(apiPath('/channels/{id}/mappings', { id: channel.id }), query, signal);
        return page.data
          .filter(({ product_code }) => product_code === product.code)
          .map(({ sku, variant_code }) => ({ channel, sku, variant_code }));
      },
    })),
  });
  const byItem = Map.groupBy(
    found.flatMap(({ data }) => data ?? []),
    ({ variant_code }) => variant_code,
  );
  return {
    of: (code: string): ChannelSku[] => byItem.get(code) ?? [],
    isLoading: channels.isPending || found.some(({ isPending }) => isPending),
    hasFailed: channels.isError || found.some(({ isError }) => isError),
  };
}
