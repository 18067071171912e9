import { Children, type ReactNode } from 'react';
import { afterWord } from '../i18n/particle.ts';

const PLACE = /\{([\w.]+)\}/;

/** A text whose placeholders become elements: `text="{who} shipped {order}"`, `part={(name) => …}`. */
export function Sentence({ text, part }: { text: string; part: (name: string) => ReactNode }) {
  let word: ReactNode = null;
  // Every second piece is the name of a placeholder.
  const pieces = text.split(PLACE).map((piece, n) => {
    if (n % 2 === 0) return typeof word === 'string' ? afterWord(word, piece) : piece;
    word = part(piece);
    // A name from right to left does not turn the rest of the sentence.
    return typeof word === 'string' ? <bdi key={piece}>{word}</bdi> : word;
  });
  return Children.toArray(pieces);
}
