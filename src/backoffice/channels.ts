// Sales channels. The outcome contains a new key once, when it is created. The audit log never contains keys.
import { maskedApiUrl } from '../channel-client/api-url.ts';
import type { Sealer } from '../keys.ts';
import { sumAllocations } from '../store/allocations.ts';
import {
  insertChannel,
  lockChannel,
  updateChannel,
  type Channel,
  type ChannelFields,
} from '../store/channels.ts';
import type { Tx } from '../store/database.ts';
import { changing, type Actor } from './changing.ts';

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

/** `api_key`: an existing key to take over; without it a new key is created. */
export const createChannel = async (
  tx: Tx,
  by: Actor,
  { sealer, fields, api_key }: { sealer: Sealer; fields: ChannelFields; api_key?: string },
) =>
  changing<{ channel: Channel; api_key: string }>(tx, by, async () => {
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

/**
 * Changes the fields given. Archiving makes the channel inactive; it is refused while the channel holds
 * pre-allocations, because that stock would be held by a channel that operators do not see.
 */
export const changeChannel = (
  tx: Tx,
  by: Actor,
  { channel_id, ...changes }: Partial<Required<ChannelFields>> & { channel_id: number },
) =>
  changing<{ channel: Channel }, 'channel_unknown' | 'channel_archived' | 'channel_holds_stock'>(
    tx,
    by,
    async () => {
      const before = await lockChannel(tx, channel_id);
      if (!before) return { kind: 'channel_unknown', channel_id };
      const { archived = before.archived } = changes;
      if (archived && changes.is_active === true) return { kind: 'channel_archived', channel_id };
      if (archived && !before.archived) {
        const held = await sumAllocations(tx, channel_id);
        if (held.allocated_qty > 0) return { kind: 'channel_holds_stock', channel_id, ...held };
      }
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
    },
  );
