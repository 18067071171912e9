// Saving changes one by one, each with its own result.
import { codeOf, messageOf } from '../../api/error.ts';
import { apiPath } from '../../api/address.ts';
import { get, put } from '../../api/request.ts';
import { shownChange, type Edit } from './edits.ts';
import type { Change } from './preview.ts';

export type Saved =
  | { kind: 'saved'; edit: Edit }
  /** Changed by another user; the current values. */
  | { kind: 'stale'; edit: Edit; now: Change }
  | { kind: 'failed'; edit: Edit; message: string };

/** In turn and not at once: changes of one item wait for the same row anyway. */
export async function saveAll(edits: readonly Edit[]): Promise<Saved[]> {
  const results: Saved[] = [];
  for (const edit of edits) results.push(await saveOne(edit));
  return results;
}

async function saveOne(edit: Edit): Promise<Saved> {
  const { channel_id, variant_code, basis } = edit;
  try {
    await put(apiPath('/channels/{id}/allocations/{variant_code}', { id: channel_id, variant_code }), {
      ...shownChange(edit),
      expected_allocated_qty: basis.allocated_qty,
      expected_reserve_quota: basis.reserve_quota,
    });
    return { kind: 'saved', edit };
  } catch (error) {
    const now = codeOf(error) === 'stale' ? await lookAgain(edit) : null;
    return now === null ? { kind: 'failed', edit, message: messageOf(error) } : { kind: 'stale', edit, now };
  }
}

async function lookAgain({ channel_id, variant_code }: Edit): Promise<Change | null> {
  const item = await get(apiPath('/stock/{variant_code}', { variant_code })).catch(() => null);
  if (item === null) return null;
  const share = item.channels.find((channel) => channel.channel_id === channel_id);
  return { allocated_qty: share?.allocated_qty ?? 0, reserve_quota: share?.reserve_quota ?? 0 };
}
