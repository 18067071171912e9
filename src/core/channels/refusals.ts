// What is refused about channels and their keys.
import { commandRefusal, type Id } from '../../platform/admin-api/refused.ts';

export const CHANNEL_REFUSALS = {
  channel_unknown: commandRefusal<{ channel_id: Id }>({
    status: 404,
    words: ({ channel_id }) => `Channel ${channel_id} was not found.`,
    commandWords: ({ channel_id }) => `there is no channel ${channel_id}; see "sluice channel list".`,
  }),
  /** An archived channel cannot be active, and gets no stock, mappings or keys. */
  channel_archived: commandRefusal<{ channel_id: number }>({
    status: 409,
    words: ({ channel_id }) => `Channel ${channel_id} is archived: bring it back first.`,
    commandWords: ({ channel_id }) => `channel ${channel_id} is archived: bring it back first.`,
  }),
  /** The prefix is that of another channel, begins with it, or is its beginning. */
  order_number_prefix_taken: commandRefusal<{
    order_number_prefix: string;
    /** The other channel. */
    channel_id: number;
    name: string;
    taken_prefix: string;
  }>({
    status: 409,
    words: ({ order_number_prefix, name, taken_prefix }) =>
      `The prefix ${order_number_prefix} overlaps with ${taken_prefix} of the channel ${name}.`,
    commandWords: (no) =>
      `the prefix ${no.order_number_prefix} overlaps with ${no.taken_prefix} of channel ${no.channel_id} "${no.name}".`,
  }),
  /** The channel has pre-allocations and cannot be archived. */
  channel_holds_stock: commandRefusal<{ channel_id: number; variant_count: number; allocated_qty: number }>({
    status: 409,
    words: ({ channel_id, variant_count, allocated_qty }) =>
      `Channel ${channel_id} or its open orders hold ${allocated_qty} of ${variant_count} variants as pre-allocation: release them first.`,
    commandWords: ({ channel_id, allocated_qty }) =>
      `channel ${channel_id} holds ${allocated_qty} as pre-allocation: release it first.`,
  }),
  /** There is no valid previous key. */
  previous_key_unknown: commandRefusal<{ channel_id: number }>({
    status: 404,
    words: ({ channel_id }) => `Channel ${channel_id} has no valid previous key.`,
    commandWords: ({ channel_id }) => `channel ${channel_id} has no valid old key.`,
  }),
};

type Own = typeof CHANNEL_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
