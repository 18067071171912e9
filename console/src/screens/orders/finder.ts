import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { useStatusName } from '../../components/values.tsx';
import { defineWords, useWords } from '../../i18n/words.ts';
import { FOUND_MAX, foundIn, type Finder, type Found, type Typed } from '../../screen.ts';

const words = defineWords({
  en: { all: (text: string) => `All orders with “${text}”` },
  ko: { all: (text: string) => `“${text}” 주문 모두 보기` },
});

function useFound(typed: Typed): Found {
  const w = useWords(words);
  const status = useStatusName();
  const { text, search } = typed;
  const list = useList(search === null ? null : '/orders', { search }, { limit: FOUND_MAX });
  const { hits, isSearching } = foundIn(list, typed, (order) => ({
    key: `order ${order.id}`,
    label: order.order_number,
    text: `${order.recipient_name} · ${status(order.status)} · ${order.channel_name}`,
    to: path`/orders/${order.id}`,
  }));
  const to = `/orders?${new URLSearchParams({ search: text }).toString()}`;
  const hasAll = search !== null && (list.rows.length > 1 || list.hasMore);
  return { isSearching, hits: hasAll ? [...hits, { key: 'orders', label: w.all(text), to }] : hits };
}

export const finder: Finder = { order: 20, group: { en: 'Orders', ko: '주문' }, useFound };
