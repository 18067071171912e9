// Contract 10.21: the service cancels orders that are not paid in time, for channels with this setting.
import type { Status } from './transitions.ts';

/** 366 days. */
export const PREPAYMENT_EXPIRY_MINUTES_MAX = 527_040;

/** The reason that is stored with the cancellation. */
export const EXPIRED = 'expired';

const PRE_PAYMENT = 0;
const MINUTE_MS = 60_000;

export interface PrepaymentExpiry {
  /** The channel's current setting. */
  minutes: number;
  /** The database's clock, read after the order was locked. */
  now: Date;
}

/** False after the pre-payment status: a payment that was reported earlier wins. */
export const hasExpired = (
  { status, created_at }: { status: Status; created_at: Date },
  expiry: PrepaymentExpiry | undefined,
): boolean =>
  status === PRE_PAYMENT &&
  expiry !== undefined &&
  expiry.now.getTime() - created_at.getTime() >= expiry.minutes * MINUTE_MS;
