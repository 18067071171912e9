// Words in two languages. A dictionary lives beside the screen that uses it: screens/<name>/words.ts.
import { language, useLanguage } from './language.ts';

type Entry = string | ((...values: never[]) => string);

/** The same keys, and functions of the same values; the texts are free. */
type SameKeys<W> = {
  [K in keyof W]: W[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

export interface Words<W> {
  en: SameKeys<W>;
  ko: SameKeys<W>;
}

/** A key that one language lacks, or has too many, is a type error. */
export function defineWords<W extends Record<string, Entry>>(words: {
  en: W;
  ko: SameKeys<NoInfer<W>>;
}): Words<W> {
  return words as unknown as Words<W>;
}

/** `const w = useWords(words)`, then `w.title` or `w.rows(3)`. */
export const useWords = <W>(words: Words<W>): SameKeys<W> => words[useLanguage()];

/** The same outside of components, for this moment's language. */
export const wordsNow = <W>(words: Words<W>): SameKeys<W> => words[language()];
