// Whole hours as the clocks of the configured zone show them.
import type { FormatTimestamp } from './timestamps.ts';

const HOUR_MS = 60 * 60 * 1000;

/** When the hour that holds this instant began; in some zones not at a full hour of UTC. */
export function startOfHour(at: Date, format: FormatTimestamp): Date {
  const shown = format(at);
  const offset = Date.parse(`${shown.slice(0, 19)}Z`) - Date.parse(shown);
  const wall = at.getTime() + offset;
  return new Date(at.getTime() - (wall - Math.floor(wall / HOUR_MS) * HOUR_MS));
}

/** The starts of the last hours up to the one that is running, oldest first. */
export function lastHours(now: Date, count: number, format: FormatTimestamp): Date[] {
  const hours = [startOfHour(now, format)];
  while (hours.length < count)
    hours.push(startOfHour(new Date((hours.at(-1) as Date).getTime() - 1), format));
  return hours.toReversed();
}
