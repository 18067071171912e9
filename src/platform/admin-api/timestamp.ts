// Parses timestamps in requests.
import { Type } from '../schema/json-schema.ts';
import { startOfDay } from '../values/hours.ts';
import { readTimestamp, type FormatTimestamp } from '../values/timestamps.ts';
import { Refusal } from './refusal.ts';

/** The end of a time range in a query. */
export const TimeBound = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-11-15', '2026-11-15T09:30:00+09:00'] }));

/** A date means its start, or with `daysLater` 1 the start of the next day. */
export function readTimeBound(
  field: string,
  text: string | undefined,
  format: FormatTimestamp,
  daysLater: 0 | 1,
): Date | null {
  if (text === undefined) return null;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  // A plus sign that was not percent-encoded arrives as a blank.
  const moment = readTimestamp(isDate ? `${text}T00:00:00Z` : text.replace(/ (?=\d\d:?\d\d$)/, '+'));
  if (!moment) throw Refusal.invalid(field, { kind: 'not_a_moment' });
  if (!isDate) return moment;
  moment.setUTCDate(moment.getUTCDate() + daysLater);
  return startOfDay(moment, format);
}
