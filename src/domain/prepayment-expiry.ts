// Contract 10.21: an order that is not paid in time is cancelled by the service, where the channel says so.
import type { Order } from './commands.ts';

/** 366 days. */
export const PREPAYMENT_EXPIRY_MINUTES_MAX = 527_040;

/** The reason that is stored with the cancellation. */
export const EXPIRED = 'expired';

const PRE_PAYMENT = 0;
const MINUTE_MS = 60_000;

export interface PrepaymentExpiry {
  /** The channel's setting now. */
  minutes: number;
  /** The clock of the database, behind the lock of the order. */
  now: Date;
}

/** Only in the pre-payment status: a payment that was reported first wins. */
export const hasExpired = (
  { status, created_at }: Pick<Order, 'status' | 'created_at'>,
  expiry: PrepaymentExpiry | undefined,
): boolean =>
  status === PRE_PAYMENT &&
  expiry !== undefined &&
  expiry.now.getTime() - created_at.getTime() >= expiry.minutes * MINUTE_MS;
