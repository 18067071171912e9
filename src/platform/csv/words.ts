// What is wrong with a row of a CSV file, in English.
import { columnOf, type ColumnFault, type CsvFact, type Problem } from './problems.ts';
import { faultText } from '../values/field-fault-words.ts';
import { say, type WordsFor } from '../values/say.ts';

type As<Kind extends CsvFact['kind']> = Extract<CsvFact, { kind: Kind }>;
const VALUE_CHARACTERS_MAX = 60;

/** A value from a file, quoted for a message. */
const quoted = (text: string): string => {
  const short = Array.from(text).slice(0, VALUE_CHARACTERS_MAX).join('');
  return JSON.stringify(short === text ? text : `${short}…`);
};

/** For two values that may differ only at the end. */
const whole = (text: string): string => JSON.stringify(text);

const number = (n: number): string => n.toLocaleString('en-US');

const headerText = ({ required, optional }: As<'file_empty'>['header']): string =>
  [...required, ...optional.map((name) => `[${name}]`)].join(',');

const faulty = ({ column, ...fault }: ColumnFault & { column: string }): string =>
  `${column} ${faultText(fault)}.`;

const amount = (fault: ColumnFault & { column: string }): string =>
  `${faulty(fault)} Write it as 1234.5, without a currency and separators of thousands.`;

/** For a code that is unknown. */
const zeros = (code: string): string =>
  /^\d+$/.test(code) ? ' Has a spreadsheet removed its leading zeros?' : '';

const columnName = (name: string): string => (name === '' ? 'column without a name' : quoted(name));

const USE_ORIGINAL =
  'Import the original file; a spreadsheet keeps such values only if it opens the column as text.';
const AS_WRITTEN = 'If it is right, import with --as-written (API: as_written).';

const WORDS: WordsFor<CsvFact> = {
  value_missing: ({ column }) => `${column} is missing.`,
  too_long: faulty,
  not_storable: faulty,
  not_listed: faulty,
  not_equal: faulty,
  too_small: faulty,
  too_large: faulty,
  too_many: faulty,
  not_an_address_range: faulty,
  not_a_price: amount,
  not_a_rate: amount,
  not_a_country: faulty,
  not_a_currency: faulty,
  not_a_timestamp: faulty,
  in_future: faulty,
  hidden_part: faulty,
  has_blanks: faulty,
  not_http: faulty,
  not_an_address: faulty,
  has_credentials: faulty,
  placeholder_missing: faulty,
  not_a_quantity: ({ column, value, maximum }) =>
    `${column} must be a whole number from 0 to ${maximum}, not ${quoted(value)}.`,
  variant_unknown: ({ variant_code }) =>
    `variant ${quoted(variant_code)} does not exist.${zeros(variant_code)}`,
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
    `variant ${quoted(variant_code)}: ${counted} counted, ${moved_since} moved since: the result would be below 0.`,
  count_beyond_limit: ({ variant_code, counted, moved_since, maximum }) =>
    `variant ${quoted(variant_code)}: ${counted} counted, ${moved_since} moved since: the result would be above ${maximum}.`,
  below_zero: ({ variant_code, quantity }) =>
    `variant ${quoted(variant_code)} has only ${quantity} in stock.`,
  beyond_limit: ({ variant_code, quantity, maximum }) =>
    `variant ${quoted(variant_code)} has ${quantity}: more than ${maximum} cannot be stored.`,
  channel_unknown: ({ channel_id }) => `channel ${channel_id} does not exist.`,
  channel_archived: ({ channel_id }) => `channel ${channel_id} is archived: bring it back first.`,
  product_archived: ({ product_code }) =>
    `product ${quoted(product_code)} is archived and gets no new variants: bring it back first.`,
  variant_archived: ({ variant_code }) =>
    `variant ${quoted(variant_code)} or its product is archived: bring it back first.`,
  stock_missing: ({ variant_code }) =>
    `variant ${quoted(variant_code)} has no stock record yet: enter or import its stock first.`,
  allocation_repeated: ({ channel_id, variant_code, first_line }) =>
    `channel ${channel_id} and variant ${quoted(variant_code)} are on line ${first_line} already.`,
  channel_name_unknown: ({ channel }) => `there is no channel ${quoted(channel)}.`,
  channel_name_ambiguous: ({ channel }) =>
    `several channels are called ${quoted(channel)}; use the column channel_id.`,
  channel_name_taken: ({ name }) =>
    `channel ${quoted(name)} exists already, with another key: rename that channel first.`,
  channel_name_repeated: ({ name, first_line }) =>
    `channel ${quoted(name)} is on line ${first_line} already.`,
  api_key_repeated: ({ first_line }) => `api_key is on line ${first_line} already: each channel has its own.`,
  order_number_prefix_taken: ({ name, prefix }) =>
    `the prefix overlaps with ${quoted(prefix)} of the channel ${quoted(name)}.`,
  api_key_taken: ({ name }) =>
    `api_key belongs to channel ${quoted(name)}: correct it, or rename that channel first.`,
  api_key_not_sendable: () =>
    'api_key must not begin or end with a blank or contain control characters: no request could send it.',
  api_key_short: ({ characters_min }) =>
    `api_key has fewer than ${characters_min} characters and can be guessed: rotate it after the switch.`,
  channel_name_similar: ({ name, stored }) =>
    `channel ${quoted(name)} is new; there is a channel ${quoted(stored)}, which differs only in case, blanks or leading zeros.`,
  rate_differs: ({ currency_code, stored, given }) =>
    `a rate of ${currency_code} for this time is stored already: ${stored}, not ${given}. Correct the file, or delete the stored rate.`,
  rate_repeated: ({ currency_code, first_line }) =>
    `a rate of ${quoted(currency_code)} from the same time is on line ${first_line} already.`,
  common_code_repeated: ({ code, first_line }) => `code ${quoted(code)} is on line ${first_line} already.`,
  courier_unknown: ({ courier_code }) =>
    `courier ${quoted(courier_code)} is not a code of the group DELIVERY_COMPANY: add it first.${zeros(courier_code)}`,
  sku_unmapped: ({ sku, channel_id }) =>
    `sku ${quoted(sku)} is not mapped to channel ${channel_id}; map it, or name the variant_code.${zeros(sku)}`,
  order_field_differs: ({ column, order_number, first_line }) =>
    `${column} of order ${quoted(order_number)} differs from line ${first_line}.`,
  too_many_lines: ({ order_number, lines_max }) =>
    `order ${quoted(order_number)} has more than ${number(lines_max)} lines.`,
  order_number_without_prefix: ({ order_number, prefix }) =>
    `order number ${quoted(order_number)} does not start with the channel's prefix ${quoted(prefix)}: its resend would be refused.`,
  order_of_other_channel: ({ order_number, channel_id }) =>
    `order number ${quoted(order_number)} is an order of channel ${channel_id} already.`,
  order_differs: ({ column, order_number, stored, given }) => {
    const values =
      stored === undefined || given === undefined
        ? 'differs'
        : `differs: ${whole(stored)} here, ${whole(given)} in the file`;
    return `order ${quoted(order_number)} exists already, and its ${column} ${values}. Correct the file, or remove the order from it. Orders that another service has shipped or cancelled meanwhile are taken over with --update (API: update).`;
  },
  order_kept: ({ column, order_number, stored, given }) =>
    `${column} of order ${quoted(order_number)} stays ${whole(stored)}; the file has ${whole(given)}.`,
  order_cannot_move: ({ order_number, from, to }) =>
    `order ${quoted(order_number)} has status ${from} here, and cannot move to ${to}: report what happened here to the other service, or correct the file.`,
  open_order_missing: ({ order_number, channel_id, status }) =>
    `order ${quoted(order_number)} of channel ${channel_id} is open here (status ${status}) and not in the file: add it with its status in the other service.`,
  row_doubled: ({ order_number, first_line }) =>
    `this row of order ${quoted(order_number)} is equal to line ${first_line}. If the order has two such lines, give its local_total_amount, or add the quantities. ${AS_WRITTEN}`,
  total_contradicts: ({ column, given, computed }) =>
    `${column} is ${given}, but the lines give ${computed}. ${AS_WRITTEN}`,
  quantity_absurd: ({ quantity, variant_code, in_stock }) =>
    `quantity ${number(quantity)}, but only ${number(in_stock)} of ${quoted(variant_code)} are in stock. ${AS_WRITTEN}`,
  spreadsheet_value: ({ column }) =>
    `${column} contains a shortened number or an error value of a spreadsheet. ${USE_ORIGINAL} ${AS_WRITTEN}`,
  digits_lost: ({ column }) =>
    `${column}: a spreadsheet has replaced the digits after the 15th by zeros, in every long number. ${USE_ORIGINAL} ${AS_WRITTEN}`,
  outer_blanks: ({ column }) =>
    `${column} begins or ends with a blank, perhaps on later lines, too: the blanks are imported.`,
  looks_protected: ({ column }) =>
    `${column} begins with an apostrophe before =, +, - or @, perhaps on later lines, too: it is imported with the apostrophe. Only in an export that has the column sluice_export is it removed.`,
  null_text: ({ column }) =>
    `${column} is NULL or \\N, perhaps on later lines, too: it is imported as this text, because the column cannot be empty.`,
  looks_alike: ({ column, value, first_value, first_line }) =>
    `${column} ${quoted(value)} and ${quoted(first_value)} on line ${first_line} differ only in case, blanks or leading zeros; they are imported as two.`,
  wrong_field_count: ({ fields, expected }) =>
    `${fields} ${fields === 1 ? 'field' : 'fields'}, but the header has ${expected}.${
      fields > expected ? ' A value that contains a comma must be in quotes.' : ''
    }`,
  file_empty: ({ header }) => `the file is empty; its first line must be ${headerText(header)}`,
  wrong_header: (fact) => {
    const { header, missing, unknown, repeated, other_separator, unnamed = 0 } = fact;
    if (other_separator)
      return `the fields must be separated by commas, not by semicolons or tabs. The header must be ${headerText(header)}.`;
    const faults = [
      ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`unknown ${unknown.map(columnName).join(', ')}`] : []),
      ...(unnamed > 0 ? [`${unnamed} unknown`] : []),
      ...(repeated.length > 0
        ? [`duplicate ${repeated.length === 1 ? 'column' : 'columns'} ${repeated.join(', ')}`]
        : []),
    ];
    return `the header has the wrong columns: ${faults.join('; ')}. It must be ${headerText(header)}.`;
  },
  markup: () =>
    'this is an HTML or XML page, not CSV: open it in a spreadsheet program and save it as "CSV UTF-8".',
  too_many_rows: ({ rows_max }) => `the file has more than ${number(rows_max)} rows; split it.`,
  quote_unclosed: () => 'a quote is opened and never closed.',
  quote_inside: () => 'a field contains a quote; quote the whole field and double the quotes in it.',
  row_too_long: ({ bytes_max }) =>
    `a row is longer than ${number(bytes_max)} bytes; perhaps a quote is not closed.`,
};

export const csvText = (fact: CsvFact): string => say(WORDS, fact);

/** For programs: code and facts of a problem, in addition to line and column. */
export function csvProblemFacts(problem: Problem): {
  line: number;
  column: string | null;
  code: string;
  details: object;
} {
  const { kind, column: _, ...details } = { column: null, ...problem.fact };
  return { line: problem.line, column: columnOf(problem), code: kind, details };
}
