// Previous and next order in the list from which the operator opened the order. The list is read from the query cache, so
// that filter, search and sorting are the same.
import { useEffect, useState } from 'react';
import { queryClient } from '../../../api/query.ts';
import { getPage } from '../../../api/request.ts';

interface ListPage {
  data: { id: number }[];
  next_cursor: string | null;
}

interface Trail {
  /** The query of the list, without the cursor. */
  query: Record<string, string>;
  ids: number[];
  next_cursor: string | null;
}

/** Kept while the user steps through the list: the cache removes lists that are not shown. */
let trail: Trail | null = null;

/** The most recently read list that contains the order. */
function trailOf(id: number): Trail | null {
  const lists = queryClient
    .getQueryCache()
    .findAll({ predicate: ({ queryKey: [to] }) => to === '/orders' })
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  for (const { state, queryKey } of lists) {
    const pages = (state.data as { pages?: ListPage[] } | undefined)?.pages ?? [];
    const ids = pages.flatMap((page) => page.data.map((row) => row.id));
    if (ids.includes(id)) {
      const query = queryKey[1] as Record<string, string>;
      return { query, ids, next_cursor: pages.at(-1)?.next_cursor ?? null };
    }
  }
  return trail?.ids.includes(id) ? trail : null;
}

export interface Neighbours {
  previous: number | null;
  next: number | null;
}

/** null: the order was not opened from a list. */
export function useNeighbours(id: number): Neighbours | null {
  const [known, setKnown] = useState(() => ({ id, trail: trailOf(id) }));
  if (known.id !== id) setKnown({ id, trail: trailOf(id) });
  const { trail: here } = known;
  const at = here?.ids.indexOf(id) ?? -1;
  const isLast = here !== null && at === here.ids.length - 1;
  useEffect(() => {
    trail = here;
    if (here === null || !isLast || here.next_cursor === null) return undefined;
    // At the end of the loaded rows: load the next page of the same list.
    let isGone = false;
    const read = async () => {
      const page = (await getPage('/orders', { ...here.query, cursor: here.next_cursor })) as ListPage;
      if (isGone) return;
      const ids = [...here.ids, ...page.data.map((row) => row.id)];
      setKnown((now) => ({ ...now, trail: { ...here, ids, next_cursor: page.next_cursor } }));
    };
    // Without an answer there is no next order; the list itself shows the error.
    read().catch(() => {});
    return () => {
      isGone = true;
    };
  }, [here, isLast]);
  if (here === null) return null;
  return { previous: here.ids[at - 1] ?? null, next: here.ids[at + 1] ?? null };
}
