// Expiry of unpaid orders: an order is moved into the past beyond the expiry of its channel, then the expiry job runs in
// a separate process.
import type { TestDatabase } from '../../kit/database.ts';
import { openService } from '../../kit/service.ts';

export const EXPIRY_MINUTES = 60;

export interface Expiry {
  /** False: the order did not exist yet, so nothing expired. */
  expire(number: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openExpiry(database: TestDatabase): Promise<Expiry> {
  const opened = await openService({ database });
  return {
    async expire(number) {
      const { rowCount } = await database.tamper(
        `update orders set created_at = now() - $2 * interval '1 minute' where order_number = $1`,
        [number, EXPIRY_MINUTES],
      );
      if (rowCount !== 1) return false;
      await opened.service.jobs.runNow('expire-orders');
      return true;
    },
    close: () => opened.close(),
  };
}
