// Finds the name that a misspelled one probably means.

/** The closest word within a few typing errors. */
export function closest(given: string, words: readonly string[]): string | null {
  if (given.length < 2) return null;
  const near = words
    .map((word) => ({ word, distance: word.startsWith(given) ? 1 : editDistance(given, word) }))
    .filter(
      ({ word, distance }) => distance <= Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)),
    );
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.word ?? null;
}

/** Inserted, deleted and replaced characters. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
