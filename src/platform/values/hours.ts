// Whole hours and days in local time of the configured time zone.
import type { FormatTimestamp } from './timestamps.ts';

const HOUR_MS = 60 * 60 * 1000;
/** UTC offsets change only at quarter hours. */
const QUARTER_MS = 15 * 60 * 1000;
/** No zone is further ahead of UTC. */
const AHEAD_MS_MAX = 14 * HOUR_MS;

/** The local time as if it were UTC. */
const wallOf = (shown: string): number => Date.parse(`${shown.slice(0, 19)}Z`);

/**
 * Start of the local hour that contains this instant. In zones with a half-hour offset it is not a full hour in UTC. An
 * hour in which the offset changes begins anew at the change.
 */
export function startOfHour(at: Date, format: FormatTimestamp): Date {
  const shown = format(at);
  const wall = at.getTime() + wallOf(shown) - Date.parse(shown);
  for (let start = at.getTime() - (wall - Math.floor(wall / HOUR_MS) * HOUR_MS); ; start += QUARTER_MS)
    if (format(new Date(start)).slice(19) === shown.slice(19)) return new Date(start);
}

/**
 * The first instant of a day, named by its midnight in UTC. Where summer time begins at midnight, the day begins at
 * 01:00.
 */
export function startOfDay(midnight: Date, format: FormatTimestamp): Date {
  for (let ms = midnight.getTime() - AHEAD_MS_MAX; ; ms += QUARTER_MS) {
    const past = wallOf(format(new Date(ms))) - midnight.getTime();
    // Past offsets of some zones were no quarter hours.
    if (past >= 0) return new Date(past < QUARTER_MS ? ms - past : ms);
  }
}

/** Starts of the last `count` hours including the current one, oldest first. */
export function lastHours(now: Date, count: number, format: FormatTimestamp): Date[] {
  const hours: Date[] = [];
  for (let start = startOfHour(now, format); hours.length < count;) {
    hours.push(start);
    start = startOfHour(new Date(start.getTime() - 1), format);
  }
  return hours.toReversed();
}
