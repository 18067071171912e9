import { Button } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import { useGet, type List } from '../../api/query.ts';
import type { OrderRow } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { queryOf, type Filter } from './filters.tsx';
import { words } from './words.ts';

const EVERY_MS = 10_000;
/** Higher counts are shown as "99+". */
const COUNTED_MAX = 99;

interface NewOrdersProps {
  url: Filter;
  list: List<OrderRow>;
}

/** Polls for orders newer than those in the list and shows their number. */
export function NewOrders({ url, list }: NewOrdersProps) {
  const w = useWords(words);
  const newest = list.rows.reduce((max, { id }) => Math.max(max, id), 0);
  const { data } = useGet('/orders', { ...queryOf(url), limit: COUNTED_MAX }, { everyMs: EVERY_MS });
  const count = (data ?? []).filter(({ id }) => id > newest).length;
  return (
    <div role="status" className="orders-new">
      {count > 0 && !list.isLoading && !list.isStale && (
        <Button
          size="compact-sm"
          radius="xl"
          leftSection={<ArrowUp size={14} aria-hidden />}
          onClick={() => {
            list.retry();
            window.scrollTo({ top: 0 });
          }}
        >
          {w.newOrders(count, count >= COUNTED_MAX)}
        </Button>
      )}
    </div>
  );
}
