import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useList } from '../../api/query.ts';
import type { Product } from '../../api/types.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { dialogWords } from './words.ts';

const PAUSE_MS = 250;
const PRODUCTS_MAX = 20;
const ITEMS_MAX = 100;

interface ItemSelectProps {
  name: string;
  value: string | null;
  error: string | undefined;
  onChange: (value: string | null) => void;
  autoFocus?: boolean;
}

interface Item {
  code: string;
  power: string | null;
  product: string;
}

/** The items of the found products; if the product itself does not match, only the items that match. */
function itemsOf(products: readonly Product[], search: string): Item[] {
  const wanted = search.toLowerCase();
  const matches = (text: string) => text.toLowerCase().includes(wanted);
  return products.flatMap(({ code, name, variants }) => {
    const isWhole = matches(code) || matches(name);
    return variants
      .filter((variant) => isWhole || matches(variant.code))
      .map((variant) => ({ code: variant.code, power: variant.power, product: name }));
  });
}

/** Selects any item, also one without stock; the service searches while the user types. */
export function ItemSelect({ value, autoFocus = false, ...field }: ItemSelectProps) {
  const w = useWords(dialogWords);
  const c = useWords(common);
  const [typed, setTyped] = useState('');
  // The text of the current choice is not a search.
  const [search] = useDebouncedValue(typed === value ? '' : typed.trim(), PAUSE_MS);
  const products = useList('/products', { search }, { limit: PRODUCTS_MAX });
  const found = itemsOf(products.rows, search);
  const shown = found.slice(0, ITEMS_MAX);
  const byCode = new Map(shown.map((item) => [item.code, item]));
  const codes = [...byCode.keys()];
  const isMore = products.hasMore || found.length > shown.length;
  return (
    <>
      <Select
        label={c.variant}
        description={w.itemHint}
        placeholder={w.itemPlaceholder}
        searchable
        // The current choice stays an option even if the search no longer finds it.
        data={value === null || codes.includes(value) ? codes : [value, ...codes]}
        filter={({ options }) => options}
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={
          products.isLoading || products.isStale ? w.searching : search === '' ? w.noItems : w.noItem
        }
        renderOption={({ option }) => {
          const item = byCode.get(option.value);
          return (
            <div>
              <span className="mono">{option.value}</span>
              {item && (
                <Text size="xs" c="dimmed">
                  {[item.product, item.power].filter(Boolean).join(' · ')}
                </Text>
              )}
            </div>
          );
        }}
        value={value}
        {...(autoFocus ? { 'data-autofocus': true } : {})}
        {...field}
      />
      {isMore && search !== '' && (
        <Text size="xs" c="dimmed">
          {w.moreItems}
        </Text>
      )}
    </>
  );
}
