// Unsaved edits of the matrix, by cell.
import { useCallback, useMemo, useState } from 'react';
import type { AllocationCell } from '../../api/types.ts';
import { wholeNumber } from '../../components/whole-number.ts';
import type { Change } from './preview.ts';

export type Field = keyof Change;

export interface Edit {
  channel_id: number;
  variant_code: string;
  allocated_qty: string;
  reserve_quota: string;
  /** The values shown when the edit started: saved only if they are still current. */
  basis: Change;
  /** Why the last attempt failed. */
  problem: string | null;
}

export type Edits = ReadonlyMap<string, Edit>;

export const editKey = (channelId: number, variantCode: string): string => `${channelId} ${variantCode}`;

/** Both numbers of an edit; null where one is not a number. */
export function changeOf(edit: Edit): Change | null {
  const allocated_qty = wholeNumber(edit.allocated_qty);
  const reserve_quota = wholeNumber(edit.reserve_quota);
  return allocated_qty === null || reserve_quota === null ? null : { allocated_qty, reserve_quota };
}

/** For the preview: a field that is not a valid number (yet) keeps its previous value. */
export const shownChange = (edit: Edit): Change => ({
  allocated_qty: wholeNumber(edit.allocated_qty) ?? edit.basis.allocated_qty,
  reserve_quota: wholeNumber(edit.reserve_quota) ?? edit.basis.reserve_quota,
});

const isSame = ({ allocated_qty, reserve_quota, basis }: Edit): boolean =>
  allocated_qty.trim() === String(basis.allocated_qty) &&
  reserve_quota.trim() === String(basis.reserve_quota);

export function useEdits() {
  const [edits, setEdits] = useState<Edits>(new Map());
  const change = useCallback((cell: AllocationCell, variant_code: string, field: Field, text: string) => {
    setEdits((now) => {
      const key = editKey(cell.channel_id, variant_code);
      const { channel_id, allocated_qty, reserve_quota } = cell;
      const before: Edit = now.get(key) ?? {
        channel_id,
        variant_code,
        allocated_qty: String(allocated_qty),
        reserve_quota: String(reserve_quota),
        basis: { allocated_qty, reserve_quota },
        problem: null,
      };
      const next = { ...before, [field]: text, problem: null };
      const all = new Map(now);
      // The original value again: no edit.
      if (isSame(next)) all.delete(key);
      else all.set(key, next);
      return all;
    });
  }, []);
  /** A cell that was edited again during the save keeps the new edit. */
  const refused = useCallback((edit: Edit, problem: string, basis: Change) => {
    setEdits((now) => {
      const key = editKey(edit.channel_id, edit.variant_code);
      return new Map(now).set(key, { ...(now.get(key) ?? edit), problem, basis });
    });
  }, []);
  const drop = useCallback((...keys: string[]) => {
    setEdits((now) => new Map([...now].filter(([key]) => !keys.includes(key))));
  }, []);
  /** A cell that was edited again during the save keeps the new edit, now based on the saved numbers. */
  const saved = useCallback((...them: Edit[]) => {
    setEdits((now) => {
      const all = new Map(now);
      for (const edit of them) {
        const key = editKey(edit.channel_id, edit.variant_code);
        const typed = all.get(key);
        if (typed === undefined || typed === edit) all.delete(key);
        else all.set(key, { ...typed, basis: changeOf(edit) ?? edit.basis });
      }
      return all;
    });
  }, []);
  const clear = useCallback(() => setEdits(new Map()), []);
  const byItem = useMemo(() => Map.groupBy(edits.values(), ({ variant_code }) => variant_code), [edits]);
  return { edits, byItem, change, refused, drop, saved, clear };
}
