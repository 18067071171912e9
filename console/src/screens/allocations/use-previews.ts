// The columns of the matrix, and the numbers of its rows after saving.
import { useCallback, useMemo } from 'react';
import type { AllocationRow, Channel } from '../../api/types.ts';
import { shownChange, type Edit } from './edits.ts';
import { preview, type Preview } from './preview.ts';

const NO_EDITS: Edit[] = [];

/** The chosen channel first; inactive channels only if they occur in the shown rows. */
export function useShownChannels(
  channels: Channel[],
  rows: AllocationRow[],
  chosen: Channel | undefined,
): Channel[] {
  return useMemo(() => {
    const held = new Set(rows.flatMap(({ cells }) => cells.map(({ channel_id }) => channel_id)));
    const rest = channels.filter(({ id, is_active }) => id !== chosen?.id && (is_active || held.has(id)));
    return chosen ? [chosen, ...rest] : rest;
  }, [channels, rows, chosen]);
}

/** Each item's numbers after saving, calculated once per change. */
export function usePreviews(rows: AllocationRow[], byItem: ReadonlyMap<string, Edit[]>) {
  const previews = useMemo(
    () =>
      new Map(
        rows.map((row) => {
          const edits = byItem.get(row.variant_code) ?? NO_EDITS;
          return [row, preview(row, new Map(edits.map((edit) => [edit.channel_id, shownChange(edit)])))];
        }),
      ),
    [rows, byItem],
  );
  return useCallback(
    (row: AllocationRow): Preview => previews.get(row) ?? preview(row, new Map()),
    [previews],
  );
}
