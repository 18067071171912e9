import { useQuery } from '@tanstack/react-query';
import { getPage } from '../api/request.ts';

const ROWS_MAX = 500;

/** The stock of a product's items. `isKnown`: an item without a row has no stock record. */
export function useStock(product: string) {
  const query = { search: product, limit: ROWS_MAX };
  const page = useQuery({
    queryKey: ['/stock', query, 'page'],
    queryFn: ({ signal }) => getPage('/stock', query, signal),
  });
  const rows = new Map((page.data?.data ?? []).map((row) => [row.variant_code, row]));
  // A code as short as "A" finds more than one page: then a missing row does not mean a missing stock record.
  return { rows, isKnown: page.data?.next_cursor === null };
}
