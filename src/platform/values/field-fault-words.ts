// Messages about values, in English: the text that follows the name of the field or option.
import type { FieldFault } from './field-fault.ts';
import { say, type WordsFor } from './say.ts';

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
};

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;

const WORDS: WordsFor<FieldFault> = {
  required: () => 'is required',
  unknown_field: ({ nearest }) =>
    `is not a field of this request${nearest === null ? '' : `; the nearest name is ${nearest}`}`,
  required_with: ({ field }) => `is required with ${field}`,
  excluded_by: ({ field }) => `and ${field} must not both be given`,
  wrong_type: ({ types }) => `must be ${types.map((name) => TYPE_NAMES[name] ?? name).join(' or ')}`,
  too_many_digits: () => 'has too many digits to be stored exactly',
  not_listed: ({ allowed }) => `must be one of ${allowed.join(', ')}`,
  not_equal: ({ expected }) => `must be ${expected}`,
  blank: () => 'must not be blank',
  too_short: ({ characters_min }) => `must have at least ${characters_min} characters`,
  too_long: ({ characters_max }) => `must have at most ${characters_max} characters`,
  too_few: ({ elements_min }) => `must have at least ${elements_min} element${elements_min === 1 ? '' : 's'}`,
  too_many: ({ elements_max }) => `must have at most ${elements_max} elements`,
  too_small: ({ minimum }) => `must be at least ${minimum}`,
  too_large: ({ maximum }) => `must be at most ${maximum}`,
  not_above: ({ limit }) => `must be greater than ${limit}`,
  zero: () => 'must not be 0',
  not_storable: () => 'contains characters that cannot be stored',
  wrong_format: ({ format }) => `is not a valid ${format}`,
  not_a_price: ({ decimals_max }) =>
    `must be a number from 0 to below 10^15 with at most ${decimals_max} decimals`,
  not_a_rate: ({ decimals_max }) =>
    `must be a decimal number above 0 and below 10^9 with at most ${decimals_max} decimals`,
  not_a_country: () => 'must be an ISO 3166-1 alpha-2 country code',
  not_a_currency: () => 'must be an ISO 4217 currency code',
  not_a_timestamp: () => 'must be an ISO 8601 timestamp with its offset, such as 2026-11-15T09:30:00+09:00',
  not_a_moment: () =>
    'must be a date, or an ISO 8601 timestamp with its offset, such as 2026-11-15T09:30:00+09:00',
  in_future: () => 'must not be in the future',
  expiry_out_of_range: ({ days_max }) =>
    `must be in the future, at most ${days_max} day${days_max === 1 ? '' : 's'} ahead`,
  too_many_to_sort: ({ orders_max }) =>
    `is not possible for more than ${orders_max} orders: narrow the filter`,
  cursor_unknown: () => 'is not a valid cursor of this list',
  since_unknown: () => 'is not a token of this database: read from the beginning again',
  not_an_email: () => 'must be an e-mail address',
  hidden_part: () => 'must not contain "…", which stands for a part that was hidden',
  has_blanks: () => 'must not contain blanks or control characters',
  not_http: () => 'must begin with http:// or https://',
  not_an_address: () => 'is not a valid address',
  has_credentials: () => 'must not contain a user name or password',
  not_an_address_range: () => 'must be an IP address or a range such as 203.0.113.0/24',
  placeholder_missing: ({ placeholder }) => `must contain ${placeholder}`,
  is_email: () => 'must not be the e-mail address',
  is_current_password: () => 'must not be the current password',
  guessable: () =>
    'is too easy to guess: common words, years, sequences, repetitions and parts of the e-mail address count little; add more words',
  wrong_password: () => 'is wrong',
  wrong_code: () => 'is wrong, or was used already',
  order_repeated: ({ order_id }) => `repeats order ${order_id}`,
  same_channel: () => 'must be another channel',
  order_line_unknown: () => 'is not a line of this order',
  option_unknown: () => 'is not an option that the channel sent',
  variant_code_repeated: () => 'is the code of another variant of this request',
  sku_repeated: () => 'appears twice in this request',
  courier_unknown: ({ nearest }) =>
    `is not a known courier${nearest.length === 0 ? '' : `: did you mean ${nearest.map(({ code, name }) => `${code} (${name})`).join(' or ')}?`}`,
  variant_unknown: () => 'is not the code of a variant',
  body_empty: () => 'must not be empty: send a JSON object',
  body_too_large: ({ bytes_max }) => `must be at most ${sizeText(bytes_max)}`,
  body_not_utf8: () => 'is not valid UTF-8',
  body_not_json: () => 'is not valid JSON',
  body_too_deep: ({ levels_max }) => `is nested deeper than ${levels_max} levels`,
  body_long_numbers: ({ numbers_max }) => `has more than ${numbers_max} numbers of more than 15 digits`,
  unreadable: () => 'cannot be read',
  path_encoding: () => 'is not valid percent-encoded UTF-8',
  invalid: () => 'is not valid',
};

/** The message without the leading name and the final full stop. */
export const faultText = (fault: FieldFault): string => say(WORDS, fault);

/** Names for parts of a request that are not fields. */
const SUBJECTS: Partial<Record<FieldFault['kind'], string>> = {
  body_empty: 'The body',
  body_too_large: 'The body',
  body_not_utf8: 'The body',
  body_not_json: 'The body',
  body_too_deep: 'The body',
  body_long_numbers: 'The body',
  unreadable: 'The request',
  path_encoding: 'The path',
};

export const faultSentence = (field: string, fault: FieldFault): string =>
  `${SUBJECTS[fault.kind] ?? field} ${faultText(fault)}.`;
