// The service tells the faults of a file in English; here they are told again in the language of the page.
import { useWords } from '../../i18n/words.ts';
import { faultWords } from './words.ts';

type FaultWords = ReturnType<typeof useWords<(typeof faultWords)['en']>>;

const TELL: [RegExp, (w: FaultWords, ...found: string[]) => string][] = [
  [/^(\w+) is missing\.$/, (w, column = '') => w.missing(column)],
  [/^variant "(.*)" does not exist\.$/s, (w, code = '') => w.unknownVariant(code)],
  [/^sku "(.*)" is on line (\d+) already/s, (w, sku = '', line = '') => w.twice(sku, line)],
  [/^(\d+) fields, but the header has (\d+)\.$/, (w, n = '', wanted = '') => w.fields(n, wanted)],
  [/^(\w+) must have at most (\d+) characters\.$/, (w, column = '', max = '') => w.tooLong(column, max)],
  [/^(\w+) contains characters that cannot be stored\.$/, (w, column = '') => w.unusable(column)],
  [/^the header has the wrong columns/, (w) => w.header],
  [/^the file is empty/, (w) => w.isEmpty],
  [/^a quote is opened and never closed/, (w) => w.openQuote],
  [/^a quote stands inside a field/, (w) => w.strayQuote],
];

/** What is not known here is shown as the service said it. */
export function useFaultText(): (message: string) => string {
  const w = useWords(faultWords);
  return (message) => {
    for (const [pattern, tell] of TELL) {
      const found = pattern.exec(message);
      if (found) return tell(w, ...found.slice(1));
    }
    return message;
  };
}
