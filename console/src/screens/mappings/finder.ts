import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { FOUND_MAX, foundIn, type Finder, type Found, type Typed } from '../../screen.ts';

function useFound(typed: Typed): Found {
  const { search } = typed;
  const list = useList(search === null ? null : '/mappings', { search }, { limit: FOUND_MAX });
  return foundIn(list, typed, ({ channel_id, channel_name, sku, variant_code }) => ({
    key: `sku ${channel_id} ${sku}`,
    label: sku,
    text: `${channel_name} → ${variant_code}`,
    to: path`/stock/${variant_code}`,
  }));
}

export const finder: Finder = { order: 50, group: { en: 'Channel SKUs', ko: '채널 SKU' }, useFound };
