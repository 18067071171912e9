// What is wrong with a row of a CSV file, in English.
import { columnOf, type CsvFact, type Problem } from '../backoffice/import/problems.ts';
import { faultText } from './field-faults.ts';
import { say, type WordsFor } from './say.ts';

type As<Kind extends CsvFact['kind']> = Extract<CsvFact, { kind: Kind }>;
const VALUE_CHARACTERS_MAX = 60;

/** A value from a file as it may stand in a message. */
const quoted = (text: string): string => {
  const short = Array.from(text).slice(0, VALUE_CHARACTERS_MAX).join('');
  return JSON.stringify(short === text ? text : `${short}…`);
};

const number = (n: number): string => n.toLocaleString('en-US');

const headerText = ({ required, optional }: As<'file_empty'>['header']): string =>
  [...required, ...optional.map((name) => `[${name}]`)].join(',');

const WORDS: WordsFor<CsvFact> = {
  value_missing: ({ column }) => `${column} is missing.`,
  too_long: ({ column, ...fault }) => `${column} ${faultText(fault)}.`,
  not_storable: ({ column, ...fault }) => `${column} ${faultText(fault)}.`,
  not_a_quantity: ({ column, value, maximum }) =>
    `${column} must be a whole number from 0 to ${maximum}, not ${quoted(value)}.`,
  variant_unknown: ({ variant_code }) => `variant ${quoted(variant_code)} does not exist.`,
  variant_of_other_product: ({ variant_code, product_code }) =>
    `variant ${quoted(variant_code)} belongs to product ${quoted(product_code)}.`,
  variant_code_repeated: ({ variant_code, first_line }) =>
    `variant_code ${quoted(variant_code)} is on line ${first_line} already.`,
  sku_repeated: ({ sku, first_line }) =>
    `sku ${quoted(sku)} is on line ${first_line} already, with another variant.`,
  product_name_differs: ({ product_code, product_name, first_name, first_line }) =>
    `product ${quoted(product_code)} is called ${quoted(product_name)} here and ${quoted(first_name)} on line ${first_line}.`,
  count_outdated: ({ variant_code, counted_at }) =>
    `variant ${quoted(variant_code)} was counted later, at ${counted_at}.`,
  count_below_zero: ({ variant_code, counted, moved_since }) =>
    `variant ${quoted(variant_code)}: ${counted} counted, ${moved_since} since then: less than 0.`,
  count_beyond_limit: ({ variant_code, counted, moved_since, maximum }) =>
    `variant ${quoted(variant_code)}: ${counted} counted, ${moved_since} since then: more than ${maximum}.`,
  beyond_limit: ({ variant_code, quantity, maximum }) =>
    `variant ${quoted(variant_code)} has ${quantity}: more than ${maximum} cannot be stored.`,
  channel_unknown: ({ channel_id }) => `channel ${channel_id} does not exist.`,
  stock_missing: ({ variant_code }) => `variant ${quoted(variant_code)} has no stock record yet.`,
  allocation_repeated: ({ channel_id, variant_code, first_line }) =>
    `channel ${channel_id} and variant ${quoted(variant_code)} are on line ${first_line} already.`,
  wrong_field_count: ({ fields, expected }) => `${fields} fields, but the header has ${expected}.`,
  file_empty: ({ header }) => `the file is empty; its first line must be ${headerText(header)}`,
  wrong_header: (fact) => {
    const { header, missing, unknown, repeated, other_separator } = fact;
    const faults = [
      ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`unknown ${unknown.map(quoted).join(', ')}`] : []),
      ...(repeated.length > 0 ? [`twice ${repeated.join(', ')}`] : []),
    ];
    const comma = other_separator ? ' Fields are separated by commas.' : '';
    return `the header has the wrong columns: ${faults.join('; ')}. It must be ${headerText(header)}.${comma}`;
  },
  too_many_rows: ({ rows_max }) => `the file has more than ${number(rows_max)} rows; split it.`,
  quote_unclosed: () => 'a quote is opened and never closed.',
  quote_inside: () => 'a quote stands inside a field; quote the whole field and double the quotes in it.',
  row_too_long: ({ bytes_max }) =>
    `a row is longer than ${number(bytes_max)} bytes; perhaps a quote is not closed.`,
  not_csv: ({ parser }) => `this is not valid CSV (${parser}).`,
};

export const csvText = (fact: CsvFact): string => say(WORDS, fact);

/** For programs: code and facts beside the line and the column. */
export function csvProblemFacts(problem: Problem): {
  line: number;
  column: string | null;
  code: string;
  details: object;
} {
  const { kind, column: _, ...details } = { column: null, ...problem.fact };
  return { line: problem.line, column: columnOf(problem), code: kind, details };
}
