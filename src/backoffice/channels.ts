// Sales channels. A key is in the outcome once, when it is created, and never in the audit log.
import { maskedApiUrl } from '../channel-client/api-url.ts';
import type { Sealer } from '../keys.ts';
import {
  insertChannel,
  lockChannel,
  updateChannel,
  type Channel,
  type ChannelFields,
} from '../store/channels.ts';
import type { Tx } from '../store/database.ts';
import { changing, type Actor } from './changing.ts';

export const PREFIX_CHARACTERS_MAX = 50;

/** The query of a URL may contain a secret; the audit log is kept permanently and omits it. */
const audited = (channel: Channel): object => ({
  name: channel.name,
  country_code: channel.country_code,
  currency_code: channel.currency_code,
  api_url: channel.api_url === null ? null : maskedApiUrl(channel.api_url),
  is_active: channel.is_active,
  order_number_prefix: channel.order_number_prefix,
});

export const createChannel = async (
  tx: Tx,
  by: Actor,
  { sealer, fields }: { sealer: Sealer; fields: ChannelFields },
) =>
  changing<{ channel: Channel; api_key: string }>(tx, by, async () => {
    const made = await insertChannel(tx, sealer, fields);
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

/** Changes the fields given. */
export const changeChannel = (
  tx: Tx,
  by: Actor,
  { channel_id, ...changes }: Partial<Required<ChannelFields>> & { channel_id: number },
) =>
  changing<{ channel: Channel }, 'channel_unknown'>(tx, by, async () => {
    const before = await lockChannel(tx, channel_id);
    if (!before) return { kind: 'channel_unknown', channel_id };
    const channel = await updateChannel(tx, channel_id, { ...before, ...changes });
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
