// A prefix of order numbers belongs to one channel (contract 10.13).

/** Equal, or one is the beginning of the other: the two channels could use the same order number. */
export const prefixesOverlap = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/** Prefixes of order numbers, by length: a number is compared with all of one length at once. */
export type ReservedPrefixes = ReadonlyMap<number, ReadonlySet<string>>;

export const reservedPrefixes = (prefixes: readonly string[]): ReservedPrefixes =>
  new Map(
    [...Map.groupBy(prefixes, ({ length }) => length)].map(([length, list]) => [length, new Set(list)]),
  );

export function startsWithAny(orderNumber: string, reserved: ReservedPrefixes): boolean {
  for (const [length, prefixes] of reserved) if (prefixes.has(orderNumber.slice(0, length))) return true;
  return false;
}
