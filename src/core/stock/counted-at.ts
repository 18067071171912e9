// When a count of physical stock was taken.
import { readTimestamp } from '../../platform/values/timestamps.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readNow } from '../../platform/database/clock.ts';
import { reading } from '../../platform/database/transactions.ts';
import { OptionalText } from '../../platform/schema/building-blocks.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';

/** The clock of an operator's device may be fast. A count up to this far in the future counts as taken now. */
const CLOCK_AHEAD_MAX_MS = 5 * 60_000;
const TIMESTAMP_CHARACTERS_MAX = 40;

export const CountedAt = (description: string) =>
  OptionalText(TIMESTAMP_CHARACTERS_MAX, { description, examples: ['2026-11-15T09:30:00+09:00'] });

/** Judged by the clock of the database, which dates movements; null: now. */
export async function readCountedAt(pool: Tx, text: string | null): Promise<Date | null> {
  if (text === null) return null;
  const moment = readTimestamp(text);
  if (!moment) throw Refusal.invalid('counted_at', { kind: 'not_a_timestamp' });
  const aheadMs = moment.getTime() - (await reading(pool, readNow)).getTime();
  if (aheadMs > CLOCK_AHEAD_MAX_MS) throw Refusal.invalid('counted_at', { kind: 'in_future' });
  return aheadMs >= 0 ? null : moment;
}
