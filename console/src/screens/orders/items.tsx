import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { listWords } from './words.ts';

interface ShownItem {
  variant_code: string;
  product_name: string;
  quantity: number;
}

/** The content of a parcel in short: "2 × P1-V1 Lens". A cancelled line has the quantity 0. */
export function Items({ items, more = 0 }: { items: readonly ShownItem[]; more?: number }) {
  const l = useWords(listWords);
  const format = useFormat();
  return (
    <ul className="orders-items">
      {items.map(({ variant_code, product_name, quantity }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines of an order never move
        <li key={at}>
          {quantity === 0 ? l.cancelledLine : <b className="num">{format.integer(quantity)} ×</b>}{' '}
          <span className="mono">{variant_code}</span> <small>{product_name}</small>
        </li>
      ))}
      {more > 0 && <li>{l.moreItems(format.integer(more))}</li>}
    </ul>
  );
}
