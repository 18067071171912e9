// Orders that are not paid in time: one is moved back beyond the expiry of its channel, then the job that cancels such orders runs,
// in a process of its own.
import type { TestDatabase } from '../../kit/database.ts';
import { openService } from '../../kit/service.ts';

export const EXPIRY_MINUTES = 60;

export interface Expiry {
  /** False: there was no such order yet, so that nothing expired. */
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
