// A quantity that leaves less than orders and allocations need is announced, and confirmed, before it is saved.
import { overcommittedBy } from '../../../../../src/core/rules/stock.ts';
import type { StockDetail } from '../../../api/types.ts';
import { confirm } from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

export function useOvercommitting(item: StockDetail) {
  const w = useWords(words);
  const format = useFormat();
  /** null: the quantity suffices, or is not less than now. */
  const textFor = (quantity: number): string | null => {
    const by = overcommittedBy({ ...item, quantity });
    return by === 0 || quantity >= item.quantity
      ? null
      : w.tooLow(format.integer(item.unshipped), format.integer(item.allocated), format.integer(by));
  };
  const mayHave = async (quantity: number): Promise<boolean> => {
    const text = textFor(quantity);
    if (text === null) return true;
    const n = format.integer(quantity);
    return confirm({ title: w.tooLowTitle(n), text, confirm: w.tooLowConfirm(n), danger: true });
  };
  return { textFor, mayHave };
}
