// Sales channels. The outcome contains a new key once, when it is created. The audit log never contains keys.
import { maskedApiUrl } from './api-url.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import { prefixesOverlap } from '../rules/order-number-prefix.ts';
import {
  insertChannel,
  listPrefixes,
  lockChannel,
  lockChannels,
  sumAllocations,
  updateChannel,
  type Channel,
  type ChannelFields,
} from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';
import type { RefusedAs } from '../../platform/admin-api/refused.ts';

export const ALLOWED_ADDRESSES_MAX = 100;

/** Without the query of the URL, which may contain a secret, because the audit log is kept permanently. */
const audited = (channel: Channel): object => ({
  name: channel.name,
  country_code: channel.country_code,
  currency_code: channel.currency_code,
  api_url: channel.api_url === null ? null : maskedApiUrl(channel.api_url),
  is_active: channel.is_active,
  archived: channel.archived,
  order_number_prefix: channel.order_number_prefix,
  allowed_addresses: channel.allowed_addresses,
  prepayment_expiry_minutes: channel.prepayment_expiry_minutes,
  trace_until: channel.trace_until,
});

interface HowToChange {
  /** The caller has locked all channels and compared their prefixes. */
  arePrefixesChecked?: boolean;
}

/** The other channel that the prefix belongs to (contract 10.13); null: it is free. */
async function prefixRefusal(
  tx: Tx,
  channelId: number | null,
  prefix: string,
): Promise<RefusedAs<'order_number_prefix_taken'> | null> {
  const owners = await listPrefixes(tx);
  const taken = owners.find(
    ({ id, order_number_prefix }) => id !== channelId && prefixesOverlap(prefix, order_number_prefix),
  );
  if (!taken) return null;
  const { id: channel_id, name, order_number_prefix: taken_prefix } = taken;
  return { kind: 'order_number_prefix_taken', order_number_prefix: prefix, channel_id, name, taken_prefix };
}

/** `api_key`: an existing key to take over; without it a new key is created. */
export const createChannel = async (
  tx: Tx,
  by: Actor,
  { sealer, fields, api_key }: { sealer: Sealer; fields: ChannelFields; api_key?: string },
  { arePrefixesChecked = false }: HowToChange = {},
) =>
  changing<{ channel: Channel; api_key: string }, 'order_number_prefix_taken'>(tx, by, async () => {
    const prefix = fields.order_number_prefix ?? null;
    if (prefix !== null && !arePrefixesChecked) {
      await lockChannels(tx);
      const taken = await prefixRefusal(tx, null, prefix);
      if (taken) return taken;
    }
    const made = await insertChannel(tx, sealer, fields, api_key);
    const { channel } = made;
    return {
      done: made,
      audit: {
        action: 'channel.create',
        subject: `channel:${channel.id}`,
        before: null,
        after: audited(channel),
      },
      journal: null,
    };
  });

/** The prefix that the channel gets by the change. Prefixes from before the rule may overlap until they change. */
function claimedPrefix(before: Channel, changes: Partial<ChannelFields>): string | null {
  const { order_number_prefix: prefix = before.order_number_prefix } = changes;
  return prefix === before.order_number_prefix && !before.archived ? null : prefix;
}

/**
 * Changes the fields given. Archiving makes the channel inactive; it is refused while the channel holds
 * pre-allocations, because that stock would be held by a channel that operators do not see.
 */
export const changeChannel = (
  tx: Tx,
  by: Actor,
  { channel_id, ...changes }: Partial<Required<ChannelFields>> & { channel_id: number },
  { arePrefixesChecked = false }: HowToChange = {},
) =>
  changing<
    { channel: Channel },
    'channel_unknown' | 'channel_archived' | 'channel_holds_stock' | 'order_number_prefix_taken'
  >(tx, by, async () => {
    const mayClaim = typeof changes.order_number_prefix === 'string' || changes.archived === false;
    // Before the row: an update of the row holds its table lock while it waits for the row.
    if (mayClaim && !arePrefixesChecked) await lockChannels(tx);
    const before = await lockChannel(tx, channel_id);
    if (!before) return { kind: 'channel_unknown', channel_id };
    const { archived = before.archived } = changes;
    if (archived && changes.is_active === true) return { kind: 'channel_archived', channel_id };
    if (archived && !before.archived) {
      const sum = await sumAllocations(tx, channel_id);
      if (sum.allocated_qty > 0) return { kind: 'channel_holds_stock', channel_id, ...sum };
    }
    const claimed = archived || arePrefixesChecked ? null : claimedPrefix(before, changes);
    const taken = claimed === null ? null : await prefixRefusal(tx, channel_id, claimed);
    if (taken) return taken;
    const is_active = !archived && (changes.is_active ?? before.is_active);
    const channel = await updateChannel(tx, channel_id, { ...before, ...changes, is_active });
    return {
      done: { channel },
      audit: {
        action: 'channel.update',
        subject: `channel:${channel_id}`,
        before: audited(before),
        after: audited(channel),
      },
      journal: null,
    };
  });
