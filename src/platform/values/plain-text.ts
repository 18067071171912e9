// A client's text as the log and mails show it.

/** Characters that a terminal or a browser would not show as they are: control, format, lone surrogates, line ends. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const escaped = (one: string): string => `\\u{${one.codePointAt(0)?.toString(16)}}`;

/** A client's text for the log or a mail: cut to `charactersMax`, with invisible characters escaped. */
export function plainText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax && PLAIN.test(text)) return text;
  // A character has at most two code units, so the rest of a longer text is not needed.
  const characters = Array.from(text.slice(0, 2 * charactersMax + 2));
  const kept = characters.slice(0, charactersMax).join('').replaceAll(INVISIBLE, escaped);
  return characters.length > charactersMax ? `${kept}…` : kept;
}
