// What the order numbers of a channel must begin with (contract 10.13).
import { insertAudit, type Actor } from '../store/audit.ts';
import { lockChannel, updateChannel, type Channel } from '../store/channels.ts';
import { type Tx } from '../store/database.ts';

export const PREFIX_CHARACTERS_MAX = 50;

/** null for the prefix: any number. Undefined: there is no such channel. */
export async function choosePrefix(
  tx: Tx,
  by: Actor,
  id: number,
  order_number_prefix: string | null,
): Promise<Channel | undefined> {
  const before = await lockChannel(tx, id);
  if (!before) return undefined;
  await insertAudit(tx, by, {
    action: 'channel.update',
    subject: `channel:${id}`,
    before: { order_number_prefix: before.order_number_prefix },
    after: { order_number_prefix },
  });
  return updateChannel(tx, id, { ...before, order_number_prefix });
}
