import { Children, type ReactNode } from 'react';

const PLACE = /\{([\w.]+)\}/;

/** A text with links and other elements in it: `text="{who} shipped {order}"`, `part={(name) => …}`. */
export function Sentence({ text, part }: { text: string; part: (name: string) => ReactNode }) {
  // Every second piece is the name of a place.
  return Children.toArray(text.split(PLACE).map((piece, n) => (n % 2 === 0 ? piece : part(piece))));
}
