// Problems of file rows, in the language of the page.
import { useFormat } from '../i18n/format.ts';
import { useWords } from '../i18n/words.ts';
import { faultWords } from './file-report-words.ts';

/** A problem of a row, in the format of all imports. */
export interface RowFault {
  code: string;
  column: string | null;
  details: object;
  message: string;
}

/** The header that the file must have. */
function columnsOf({ header }: Record<string, unknown>): string {
  const { required = [], optional = [] } = header as Partial<Record<'required' | 'optional', string[]>>;
  return [...required, ...optional].join(',');
}

/**
 * For codes without a text here, the message of the service is shown. `linesAdded`: number of lines that the page added
 * before the text of the user, such as a header.
 */
export function useFaultText(linesAdded = 0): (fault: RowFault) => string {
  const w = useWords(faultWords);
  const format = useFormat();
  const number = (n: unknown): string => format.integer(Number(n));
  const lineOf = (facts: Record<string, unknown>): string =>
    String(Math.max(1, Number(facts['first_line']) - linesAdded));
  type Told = Pick<RowFault, 'column'> & { facts: Record<string, unknown> };
  const wordsFor: Record<string, (told: Told) => string> = {
    value_missing: ({ column }) => w.missing(column ?? ''),
    variant_unknown: ({ facts }) => w.unknownVariant(String(facts['variant_code'])),
    sku_repeated: ({ facts }) => w.twice(String(facts['sku']), lineOf(facts)),
    wrong_field_count: ({ facts }) =>
      (linesAdded > 0 ? w.cells : w.fields)(String(facts['fields']), String(facts['expected'])),
    too_long: ({ column, facts }) => w.tooLong(column ?? '', String(facts['characters_max'])),
    not_storable: ({ column }) => w.unusable(column ?? ''),
    variant_code_repeated: ({ facts }) => w.repeated(String(facts['variant_code']), lineOf(facts)),
    not_a_quantity: ({ facts }) => w.notANumber(String(facts['value'])),
    count_outdated: ({ facts }) => w.outdated(format.dateTime(String(facts['counted_at']))),
    count_below_zero: ({ facts }) => w.belowZero(number(facts['counted']), number(facts['moved_since'])),
    count_beyond_limit: () => w.beyondLimit,
    beyond_limit: () => w.beyondLimit,
    below_zero: ({ facts }) => w.tooFew(number(facts['quantity'])),
    channel_unknown: ({ facts }) => w.unknownChannel(String(facts['channel_id'])),
    stock_missing: ({ facts }) => w.noStock(String(facts['variant_code'])),
    allocation_repeated: ({ facts }) => w.repeated(String(facts['variant_code']), lineOf(facts)),
    wrong_header: ({ facts }) => w.header(columnsOf(facts)),
    file_empty: ({ facts }) => w.isEmpty(columnsOf(facts)),
    markup: () => w.markup,
    quote_unclosed: () => w.openQuote,
    quote_inside: () => w.strayQuote,
    spreadsheet_value: ({ column }) => w.shortened(column ?? ''),
    digits_lost: ({ column }) => w.digitsLost(column ?? ''),
  };
  return ({ code, column, details, message }) =>
    wordsFor[code]?.({ column, facts: { ...details } }) ?? message;
}
