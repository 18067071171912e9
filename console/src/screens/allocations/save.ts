// Saves all changes atomically: either all of them, or none, with the reason for each.
import { ApiError, messageOf } from '../../api/error.ts';
import { apiPath } from '../../api/address.ts';
import { get, put } from '../../api/request.ts';
import type { AllocationResult } from '../../api/types.ts';
import { shownChange, type Edit } from './edits.ts';
import type { Change } from './preview.ts';

export type Saved =
  | { kind: 'saved'; edit: Edit }
  /** Changed by another user; `now` has the current values. */
  | { kind: 'stale'; edit: Edit; now: Change }
  | { kind: 'failed'; edit: Edit; message: string }
  /** Valid, but not saved because another change was refused. */
  | { kind: 'held'; edit: Edit };

const changesOf = (edits: readonly Edit[]) =>
  edits.map((edit) => ({
    channel_id: edit.channel_id,
    variant_code: edit.variant_code,
    ...shownChange(edit),
    expected_allocated_qty: edit.basis.allocated_qty,
    expected_reserve_quota: edit.basis.reserve_quota,
  }));

/** The effect of all changes together, by a dry run of the service. */
export const tryAll = (edits: readonly Edit[]): Promise<AllocationResult[]> =>
  put('/allocations', { changes: changesOf(edits), dry_run: true });

export async function saveAll(edits: readonly Edit[]): Promise<Saved[]> {
  try {
    await put('/allocations', { changes: changesOf(edits) });
    return edits.map((edit) => ({ kind: 'saved', edit }));
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) return edits.map((edit) => ({ kind: 'failed', edit, message: messageOf(error) }));
    return Promise.all(
      edits.map(async (edit, position): Promise<Saved> => {
        const code = problems.get(position);
        if (code === undefined) return { kind: 'held', edit };
        const now = code === 'allocation_changed' ? await lookAgain(edit) : null;
        return now === null
          ? { kind: 'failed', edit, message: messageOf(error) }
          : { kind: 'stale', edit, now };
      }),
    );
  }
}

/** Restores the previous values, unless an order or another user has changed them since. */
export const takeBack = (edits: readonly Edit[]): Promise<unknown> =>
  put('/allocations', {
    changes: edits.map((edit) => {
      const { allocated_qty, reserve_quota } = shownChange(edit);
      return {
        channel_id: edit.channel_id,
        variant_code: edit.variant_code,
        ...edit.basis,
        expected_allocated_qty: allocated_qty,
        expected_reserve_quota: reserve_quota,
      };
    }),
  });

/** Problem codes by position in the request; null: the request failed as a whole. */
export function problemsOf(error: unknown): Map<number, string> | null {
  if (!(error instanceof ApiError) || error.code !== 'allocations_refused') return null;
  const { problems } = error.details as { problems: { position: number; code: string }[] };
  return new Map(problems.map(({ position, code }) => [position, code]));
}

async function lookAgain({ channel_id, variant_code }: Edit): Promise<Change | null> {
  const item = await get(apiPath('/stock/{variant_code}', { variant_code })).catch(() => null);
  if (item === null) return null;
  const share = item.channels.find((channel) => channel.channel_id === channel_id);
  return { allocated_qty: share?.allocated_qty ?? 0, reserve_quota: share?.reserve_quota ?? 0 };
}
