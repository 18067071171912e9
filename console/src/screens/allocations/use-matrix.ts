// The state of the matrix: input, saving, and the result.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { refresh, takingBack } from '../../api/query.ts';
import type { AllocationRow } from '../../api/types.ts';
import { toastGood, toastUndo, useUnsavedWarning } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { STALE_PATHS } from '../../components/stock-terms.ts';
import type { CellActions } from './cell.tsx';
import { placeBlock } from './block.ts';
import { changeOf, editKey, useEdits, type Edit, type Field } from './edits.ts';
import type { Change } from './preview.ts';
import { askToOvercommit, overcommitments } from './overcommit.tsx';
import { problemsOf, saveAll, takeBack, type Saved } from './save.ts';
import type { Outcome } from './save-bar.tsx';
import { words } from './words.ts';

export function useMatrix(
  nameOf: (channelId: number) => string,
  rows: readonly AllocationRow[],
  /** In the order of the columns. */
  channelIds: readonly number[],
) {
  const w = useWords(words);
  const format = useFormat();
  const { edits, byItem, change, refused, drop, saved: putAway, clear } = useEdits();
  const [isSaving, setIsSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useUnsavedWarning(edits.size > 0);
  // Includes items that were edited and are no longer shown.
  const seen = useRef(new Map<string, AllocationRow>());
  useEffect(() => {
    for (const row of rows) seen.current.set(row.variant_code, row);
  }, [rows]);

  const pair = ({ allocated_qty, reserve_quota }: Change) =>
    w.pair(format.integer(allocated_qty), format.integer(reserve_quota));
  const settle = async (results: Saved[]) => {
    // Load the new numbers before removing the edits, so that cells never show the old numbers in between.
    await refresh(...STALE_PATHS);
    const taken = results.filter(({ kind }) => kind === 'saved').map(({ edit }) => edit);
    putAway(...taken);
    const failures = results.flatMap((result) => {
      if (result.kind === 'saved' || result.kind === 'held') return [];
      const { edit } = result;
      const text = result.kind === 'failed' ? result.message : w.stale(pair(edit.basis), pair(result.now));
      // The user sees the new numbers now: saving again overwrites them on purpose.
      refused(edit, text, result.kind === 'stale' ? result.now : edit.basis);
      return [{ key: keyOf(edit), item: edit.variant_code, channel: nameOf(edit.channel_id), text }];
    });
    const saved = taken.length;
    // No toast while changes remain: it would cover the save bar.
    const isRest = latest.current.edits.size > saved;
    const undo = async () => {
      try {
        await takeBack(taken);
      } catch (error) {
        throw problemsOf(error) === null ? error : new Error(w.undoStale);
      }
    };
    if (!isRest) toastUndo(w.saved(saved), takingBack(undo, STALE_PATHS));
    setOutcome(isRest ? { saved, failures } : null);
  };
  const save = async (which: Edit[], isReviewed = false) => {
    if (isSaving || which.length === 0 || which.some((edit) => changeOf(edit) === null)) return;
    const beyond = isReviewed ? [] : overcommitments(which, seen.current);
    if (beyond.length > 0 && !(await askToOvercommit(beyond, w, format))) return;
    setIsSaving(true);
    try {
      await settle(await saveAll(which));
    } finally {
      setIsSaving(false);
    }
  };

  // Cells get stable functions, so that only the edited cell is rendered again.
  const latest = useRef({ edits, save, rows, channelIds, w });
  useEffect(() => {
    latest.current = { edits, save, rows, channelIds, w };
  });
  /** Fills the same field of the cells to the right and below, starting from this cell. */
  const paste = useCallback(
    (channelId: number, variantCode: string, field: Field, block: string[][]) => {
      const { rows: shown, channelIds: ids, w: said } = latest.current;
      const { placed, outside } = placeBlock(block, {
        cells: shown.map((row) =>
          ids.map((id) => {
            const cell = row.cells.find(({ channel_id }) => channel_id === id);
            return cell && { cell, code: row.variant_code };
          }),
        ),
        row: shown.findIndex(({ variant_code }) => variant_code === variantCode),
        column: ids.indexOf(channelId),
      });
      for (const { cell: target, text } of placed) change(target.cell, target.code, field, text);
      toastGood(said.pasted(placed.length, outside));
    },
    [change],
  );
  const saveCell = useCallback((channelId: number, variantCode: string) => {
    const edit = latest.current.edits.get(editKey(channelId, variantCode));
    if (edit) void latest.current.save([edit]);
  }, []);
  const revert = useCallback(
    (channelId: number, variantCode: string) => drop(editKey(channelId, variantCode)),
    [drop],
  );
  const actions: CellActions = useMemo(
    () => ({ change, paste, save: saveCell, revert }),
    [change, paste, saveCell, revert],
  );
  return {
    edits,
    byItem,
    actions,
    isSaving,
    outcome,
    saveAll: () => void save([...edits.values()]),
    /** Saves without asking again: the overcommitment was shown and accepted. */
    saveReviewed: () => void save([...edits.values()], true),
    discard: clear,
    closeOutcome: () => setOutcome(null),
  };
}

const keyOf = ({ channel_id, variant_code }: Edit): string => editKey(channel_id, variant_code);
