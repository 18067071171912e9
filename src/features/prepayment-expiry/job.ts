// Cancels orders that were not paid in time, for channels with an expiry (contract 10.21). Each cancellation passes the
// gate like a report and is decided there again: a payment that was reported earlier wins.
import type { ReportCommand } from '../../core/rules/commands.ts';
import { EXPIRED } from '../../core/rules/prepayment-expiry.ts';
import { CANCELLED } from '../../core/rules/transitions.ts';
import { Overloaded } from '../../platform/queues/coalescer.ts';
import { findExpired } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import type { CoreJob } from '../../core/assembly/core.ts';

const EVERY_S = 20;
/** Only a few at a time, so that orders of channels do not wait for them. */
const ORDERS_AT_ONCE = 25;

const cancellationOf = (order_id: number): ReportCommand => ({
  kind: 'report',
  target: { order_id },
  status: CANCELLED,
  expires: true,
  tracking_number: null,
  courier_code: null,
  reason: EXPIRED,
  source: 'service',
  actor: 'service',
  request_id: null,
});

export const expireOrders: CoreJob = {
  name: 'expire-orders',
  every_s: EVERY_S,
  async run({ pool, gate, log }, signal) {
    let expired = 0;
    for (let after = 0; !signal.aborted;) {
      const ids = await reading(pool, (tx) => findExpired(tx, after, ORDERS_AT_ONCE));
      const outcomes = await Promise.allSettled(ids.map((id) => gate.submit(cancellationOf(id))));
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled')
          expired += outcome.value.kind === 'reported' && outcome.value.changed ? 1 : 0;
        else if (!(outcome.reason instanceof Overloaded)) throw outcome.reason;
      }
      // The service is full: the rest waits for the next run.
      const isFull = outcomes.some(({ status }) => status === 'rejected');
      after = ids.at(-1) ?? after;
      if (isFull || ids.length < ORDERS_AT_ONCE) break;
    }
    if (expired > 0) log.info({ expired }, 'orders that were not paid in time were cancelled');
  },
};
