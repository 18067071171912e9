// A list that leaves less of an item than orders and pre-allocations need is saved only after a confirmation.
import type { StockImport } from '../../api/types.ts';
import { confirm } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { words as allocationWords } from '../allocations/words.ts';
import { terms } from '../../components/stock-terms.ts';
import { bulkWords } from './words.ts';

export type ChangedRow = NonNullable<StockImport['rows']>[number];

const ITEMS_SHOWN_MAX = 5;

/** The rows that overcommit an item, or overcommit it further. A higher quantity never counts. */
export const overcommitting = (rows: readonly ChangedRow[]): ChangedRow[] =>
  rows.filter(({ before, after, overcommitted_by }) => overcommitted_by > 0 && after < (before ?? 0));

/** Asks if the rows overcommit items. true: save. */
export function useMayOvercommit(): (rows: readonly ChangedRow[]) => Promise<boolean> {
  const w = useWords(bulkWords);
  const a = useWords(allocationWords);
  const t = useWords(terms);
  const format = useFormat();
  return async (rows) => {
    const over = overcommitting(rows).toSorted((one, other) => other.overcommitted_by - one.overcommitted_by);
    if (over.length === 0) return true;
    const more = over.length - ITEMS_SHOWN_MAX;
    return confirm({
      title: w.overTitle,
      confirm: a.overcommitSave,
      danger: true,
      text: (
        <>
          {w.overText}
          <ul>
            {over.slice(0, ITEMS_SHOWN_MAX).map(({ line, variant_code, overcommitted_by }) => (
              <li key={line}>
                <span className="mono">{variant_code}</span>{' '}
                {t.overcommittedBy(format.integer(overcommitted_by))}
              </li>
            ))}
            {more > 0 && <li>{a.overcommitMore(more)}</li>}
          </ul>
        </>
      ),
    });
  };
}
