/** A message for each kind of a union. The type ensures that none is missing. */
export type WordsFor<Fact extends { kind: string }> = {
  readonly [Kind in Fact['kind']]: (fact: Extract<Fact, { kind: Kind }>) => string;
};

export function say<Fact extends { kind: string }>(words: WordsFor<Fact>, fact: Fact): string {
  const table: Readonly<Record<string, unknown>> = words;
  // oxlint-disable-next-line typescript/consistent-type-assertions -- TypeScript cannot correlate the entry of the table with the facts of the same kind.
  return (table[fact.kind] as (fact: Fact) => string)(fact);
}
