// Before an overcommitting pre-allocation is saved, the operator sees the numbers and has to confirm.
import type { AllocationRow } from '../../api/types.ts';
import { confirm } from '../../components/index.ts';
import type { useFormat } from '../../i18n/format.ts';
import { shownChange, type Edit } from './edits.ts';
import { preview, type Preview } from './preview.ts';
import type { words } from './words.ts';

const ITEMS_SHOWN_MAX = 5;

interface Overcommitment {
  row: AllocationRow;
  after: Preview;
}

/** The items that these changes overcommit, or overcommit further. Reducing a pre-allocation never counts. */
export function overcommitments(
  edits: readonly Edit[],
  rows: ReadonlyMap<string, AllocationRow>,
): Overcommitment[] {
  return [...Map.groupBy(edits, ({ variant_code }) => variant_code)].flatMap(([code, ofItem]) => {
    const row = rows.get(code);
    if (!row) return [];
    const after = preview(row, new Map(ofItem.map((edit) => [edit.channel_id, shownChange(edit)])));
    return after.overcommittedBy > row.overcommitted_by ? [{ row, after }] : [];
  });
}

/** true: save anyway. */
export function askToOvercommit(
  items: readonly Overcommitment[],
  w: (typeof words)['en'],
  format: ReturnType<typeof useFormat>,
): Promise<boolean> {
  const shown = items.slice(0, ITEMS_SHOWN_MAX);
  return confirm({
    title: w.overcommitTitle,
    confirm: w.overcommitSave,
    text: (
      <>
        <ul className="allocations-failures">
          {shown.map(({ row, after }) => (
            <li key={row.variant_code}>
              <span className="mono">{row.variant_code}</span>{' '}
              {w.overcommitted(
                format.integer(after.allocated),
                format.integer(row.unshipped),
                format.integer(row.quantity),
                format.integer(after.overcommittedBy),
              )}
            </li>
          ))}
          {items.length > shown.length && <li>{w.overcommitMore(items.length - shown.length)}</li>}
        </ul>
        {w.overcommitText}
      </>
    ),
  });
}
