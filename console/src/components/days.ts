// Days in the format of the API, `2026-11-16`, and the most common ranges.

const DAY_MS = 86_400_000;

/** The day of a point in time, in a time zone. */
export const dayIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at);

const utc = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const before = (day: string, days: number): string => dayOf(utc(day) - days * DAY_MS);

export function presetsOf(today: string) {
  const month = `${today.slice(0, 8)}01`;
  const lastOfMonthBefore = before(month, 1);
  const ranges = [
    { name: 'today', range: [today, today] },
    { name: 'yesterday', range: [before(today, 1), before(today, 1)] },
    { name: 'last7', range: [before(today, 6), today] },
    { name: 'last30', range: [before(today, 29), today] },
    { name: 'thisMonth', range: [month, today] },
    { name: 'lastMonth', range: [`${lastOfMonthBefore.slice(0, 8)}01`, lastOfMonthBefore] },
  ] as const satisfies { name: string; range: [string, string] }[];
  return ranges.map(({ name, range: [first, last] }) => ({ name, range: [first, last] as [string, string] }));
}
