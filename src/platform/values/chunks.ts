// Long lists in pieces, for statements that take many rows.

/** Rows per statement: few round trips, bounded memory on the server. */
const CHUNK_ROWS = 5_000;

export function* chunks<T>(list: readonly T[], size = CHUNK_ROWS): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
