// What is refused about allocations.
import { refusal, STALE } from '../../platform/admin-api/refused.ts';

interface AllocationProblem {
  position: number;
  code:
    | 'channel_unknown'
    | 'channel_archived'
    | 'variant_unknown'
    | 'variant_archived'
    | 'stock_missing'
    | 'allocation_changed'
    | 'repeated';
}

export const ALLOCATION_REFUSALS = {
  allocation_changed: refusal<{
    channel_id: number;
    variant_code: string;
    allocated_qty: number;
    reserve_quota: number;
  }>({
    ...STALE,
    words: ({ variant_code, channel_id, allocated_qty, reserve_quota }) =>
      `The allocation of variant ${variant_code} to channel ${channel_id} is now ${allocated_qty}, its backorder quota ${reserve_quota}.`,
  }),
  /** A transfer takes more than the channel has. */
  allocation_insufficient: refusal<{ channel_id: number; variant_code: string; allocated_qty: number }>({
    status: 409,
    words: ({ channel_id, variant_code, allocated_qty }) =>
      `Channel ${channel_id} has ${allocated_qty} of variant ${variant_code} to give.`,
  }),
  /** None of the changes was made; `position`: index in the request. */
  allocations_refused: refusal<{ problems: AllocationProblem[] }>({
    status: 422,
    words: ({ problems }) => `Nothing was changed: ${problems.length} of the changes cannot be made.`,
  }),
};

type Own = typeof ALLOCATION_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
