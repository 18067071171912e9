// Whole hours in local time of the configured time zone.
import type { FormatTimestamp } from './timestamps.ts';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Start of the local hour that contains this instant. In zones with a half-hour offset it is not a full hour in UTC.
 */
export function startOfHour(at: Date, format: FormatTimestamp): Date {
  const shown = format(at);
  const offset = Date.parse(`${shown.slice(0, 19)}Z`) - Date.parse(shown);
  const wall = at.getTime() + offset;
  return new Date(at.getTime() - (wall - Math.floor(wall / HOUR_MS) * HOUR_MS));
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
