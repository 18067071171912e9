import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { FOUND_MAX, foundIn, type Finder, type Found, type Typed } from '../../screen.ts';

function useFound(typed: Typed): Found {
  const { search } = typed;
  const list = useList(search === null ? null : '/variants', { search }, { limit: FOUND_MAX });
  return foundIn(list, typed, ({ code, product_name }) => ({
    key: `item ${code}`,
    label: code,
    text: product_name,
    to: path`/stock/${code}`,
  }));
}

export const finder: Finder = { order: 30, group: { en: 'Items', ko: '품목' }, useFound };
