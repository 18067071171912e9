// Search results of the palette. Screens, actions and channels are searched in the browser, the rest by the service when
// typing pauses.
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { searchedTexts } from '../../../src/core/orders/search-rules.ts';
import { useAll, useList } from '../api/query.ts';
import { path } from '../api/request.ts';
import { useCan } from '../api/session.ts';
import { ORDER_STATUSES, useStatusName } from '../components/values.tsx';
import { setLanguage, useLanguage } from '../i18n/language.ts';
import { matches } from '../i18n/matches.ts';
import { useWords } from '../i18n/words.ts';
import { useScreens } from './navigation.tsx';
import { words } from './palette-words.ts';

const PAUSE_MS = 200;
const OF_EACH_MAX = 5;

interface Hit {
  key: string;
  label: string;
  text?: string;
  /** Other words for it. */
  also?: string;
  run: () => void;
}

export interface HitGroup {
  group: string;
  hits: Hit[];
}

export function useHits(typed: string): { groups: HitGroup[]; isSearching: boolean } {
  const text = typed.trim();
  const known = useKnown(text);
  const found = useFound(text);
  const groups = [...known, ...found.groups].filter(({ hits }) => hits.length > 0);
  // Exact matches come first, even if orders also contain the text.
  const isExact = ({ hits }: HitGroup) =>
    hits.some(({ label }) => label.toLowerCase() === text.toLowerCase());
  return {
    groups: [...groups.filter(isExact), ...groups.filter((group) => !isExact(group))],
    isSearching: found.isSearching,
  };
}

function useKnown(text: string): HitGroup[] {
  const w = useWords(words);
  const navigate = useNavigate();
  const screens = useScreens().flatMap(({ items }) => items);
  const actions = useActions();
  const channels = useAll('/channels').data ?? [];
  return [
    {
      group: w.screens,
      hits: screens
        .filter(({ label }) => matches(label, text))
        .map(({ to, label }) => ({ key: `screen ${to}`, label, run: () => void navigate(to) })),
    },
    {
      group: w.actions,
      hits: actions.filter(({ label, also = '' }) => matches(label, text) || matches(also, text)),
    },
    {
      group: w.channels,
      hits: (text === '' ? [] : channels.filter(({ name }) => matches(name, text)))
        .slice(0, OF_EACH_MAX)
        .map(({ id, name }) => ({
          key: `channel ${id}`,
          label: name,
          run: () => void navigate(path`/channels/${id}`),
        })),
    },
  ];
}

/** The main actions that the user may perform. The URL makes the target screen open its dialog. */
function useActions(): Hit[] {
  const w = useWords(words);
  const navigate = useNavigate();
  const isOperator = useCan('operator');
  const isAdmin = useCan('admin');
  const other = useLanguage() === 'en' ? 'ko' : 'en';
  const status = useStatusName();
  const to = (address: string, label: string, also = ''): Hit => ({
    key: `action ${address}`,
    label,
    also,
    run: () => void navigate(address),
  });
  return [
    ...(isOperator
      ? [
          to('/orders?list=1', w.shipList),
          to('/stock?bulk=add', w.delivery),
          to('/stock?bulk=set', w.count),
          to('/products?new=1', w.newProduct, w.newProductToo),
          to('/exchange-rates?new=1', w.newRate, w.newRateToo),
        ]
      : []),
    ...(isAdmin ? [to('/channels?new=1', w.newChannel, w.newChannelToo)] : []),
    ...ORDER_STATUSES.map((one) => to(`/orders?status=${one}`, w.ordersWith(status(one)))),
    to('/change-password', w.password),
    { key: 'action language', label: w.language, run: () => setLanguage(other) },
  ];
}

function useFound(text: string): { groups: HitGroup[]; isSearching: boolean } {
  const w = useWords(words);
  const navigate = useNavigate();
  const status = useStatusName();
  const [search] = useDebouncedValue(text, PAUSE_MS);
  const isAsking = searchedTexts(search) !== null;
  const options = { limit: OF_EACH_MAX };
  const orders = useList(isAsking ? '/orders' : null, { search }, options);
  const products = useList(isAsking ? '/products' : null, { search }, options);
  const items = useList(isAsking ? '/variants' : null, { search }, options);
  const skus = useList(isAsking ? '/mappings' : null, { search }, options);
  const lists = [orders, products, items, skus];
  const shown = <T>(rows: readonly T[]): T[] => (isAsking ? rows.slice(0, OF_EACH_MAX) : []);
  const hit = (key: string, label: string, about: string, address: string): Hit => ({
    key,
    label,
    text: about,
    run: () => void navigate(address),
  });
  const all: Hit = {
    key: 'orders',
    label: w.allOrders(text),
    run: () => void navigate(`/orders?${new URLSearchParams({ search: text }).toString()}`),
  };
  return {
    isSearching:
      searchedTexts(text) !== null &&
      (text !== search || lists.some((list) => list.isStale || list.isLoading)),
    groups: [
      {
        group: w.orders,
        hits: [
          ...shown(orders.rows).map(({ id, order_number, recipient_name, channel_name, status: now }) =>
            hit(
              `order ${id}`,
              order_number,
              `${recipient_name} · ${status(now)} · ${channel_name}`,
              path`/orders/${id}`,
            ),
          ),
          ...(orders.rows.length > 1 || orders.hasMore ? shown([all]) : []),
        ],
      },
      {
        group: w.items,
        hits: shown(items.rows).map(({ code, product_name }) =>
          hit(`item ${code}`, code, product_name, path`/stock/${code}`),
        ),
      },
      {
        group: w.products,
        hits: shown(products.rows).map(({ code, name }) =>
          hit(`product ${code}`, name, code, path`/products/${code}`),
        ),
      },
      {
        group: w.skus,
        hits: shown(skus.rows).map(({ channel_id, channel_name, sku, variant_code }) =>
          hit(
            `sku ${channel_id} ${sku}`,
            sku,
            `${channel_name} → ${variant_code}`,
            path`/stock/${variant_code}`,
          ),
        ),
      },
    ],
  };
}
