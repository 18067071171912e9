// Texts in two languages. Each screen has its own dictionary: screens/<name>/words.ts.
import { language, useLanguage } from './language.ts';

type Entry = string | ((...values: never[]) => string);

/** Both languages have the same keys and functions with the same parameters; only the texts differ. */
type SameKeys<W> = {
  [K in keyof W]: W[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

export interface Words<W> {
  en: SameKeys<W>;
  ko: SameKeys<W>;
}

/** A missing or extra key in one language is a type error. */
export function defineWords<W extends Record<string, Entry>>(words: {
  en: W;
  ko: SameKeys<NoInfer<W>>;
}): Words<W> {
  return words as unknown as Words<W>;
}

/** `const w = useWords(words)`, then `w.title` or `w.rows(3)`. */
export const useWords = <W>(words: Words<W>): SameKeys<W> => words[useLanguage()];

/** The same outside of components, for the current language. */
export const wordsNow = <W>(words: Words<W>): SameKeys<W> => words[language()];
