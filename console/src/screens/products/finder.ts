import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { FOUND_MAX, foundIn, type Finder, type Found, type Typed } from '../../screen.ts';

function useFound(typed: Typed): Found {
  const { search } = typed;
  const list = useList(search === null ? null : '/products', { search }, { limit: FOUND_MAX });
  return foundIn(list, typed, ({ code, name }) => ({
    key: `product ${code}`,
    label: name,
    text: code,
    to: path`/products/${code}`,
  }));
}

export const finder: Finder = { order: 40, group: { en: 'Products', ko: '상품' }, useFound };
