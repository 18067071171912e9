// Validates the channel's JSON field by field. Types are strict: a power sent as the number -1 instead of the text
// "-1.00" would create another variant code.

import type { ProductInfo, ProductOption } from '../domain/set-product.ts';

export const OPTIONS_MAX = 5000;
export const TEXT_CHARS_MAX = 1000;

type ParsedAnswer =
  | { kind: 'found'; info: ProductInfo }
  | { kind: 'not_found' }
  /** `fault` names the field and the rule: "options.3.power must be text". */
  | { kind: 'wrong_shape'; fault: string };

type JsonObject = Record<string, unknown>;

/** Returns the violated rule, or undefined. */
type Rule = (value: unknown) => string | undefined;

const text: Rule = (value) => {
  if (typeof value !== 'string') return 'must be text';
  // Two checks for text that PostgreSQL cannot store.
  if (value.includes('\u0000')) return 'must not contain the character U+0000';
  if (!value.isWellFormed()) return 'must not contain half of a surrogate pair';
  return Array.from(value).length > TEXT_CHARS_MAX
    ? `must be at most ${TEXT_CHARS_MAX} characters`
    : undefined;
};

const integer: Rule = (value) => (Number.isSafeInteger(value) ? undefined : 'must be an integer');

const flag: Rule = (value) =>
  typeof value === 'boolean' || Number.isSafeInteger(value) ? undefined : 'must be a boolean or an integer';

const optionList: Rule = (value) => {
  if (!Array.isArray(value)) return 'must be an array';
  return value.length > OPTIONS_MAX ? `must have at most ${OPTIONS_MAX} elements` : undefined;
};

const INFO_RULES = { goods_name: text, is_monthly: integer, options: optionList };
const OPTION_RULES = { opt_group: text, power: text, option_code: text, stock: integer, hidden: flag };

export function parseProductInfo(answer: unknown): ParsedAnswer {
  if (!isObject(answer)) return { kind: 'wrong_shape', fault: 'the answer must be a JSON object' };
  if (answer['found'] !== true) return { kind: 'not_found' };
  const info = checked<SentInfo>(answer, INFO_RULES, '');
  if (typeof info === 'string') return { kind: 'wrong_shape', fault: info };
  const options: ProductOption[] = [];
  for (const [index, sent] of info.options.entries()) {
    const option = isObject(sent)
      ? checked<SentOption>(sent, OPTION_RULES, `options.${index}.`)
      : `options.${index} must be an object`;
    if (typeof option === 'string') return { kind: 'wrong_shape', fault: option };
    options.push(toOption(option));
  }
  const { goods_name, is_monthly } = info;
  return { kind: 'found', info: { found: true, goods_name, is_monthly, options } };
}

/** The `message` that a channel may send with an error. */
export function messageOf(answer: unknown): string | undefined {
  const message = isObject(answer) ? answer['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}

type SentInfo = Omit<ProductInfo, 'found' | 'options'> & { options: unknown[] };
type SentOption = Omit<ProductOption, 'hidden'> & { hidden: boolean | number };

function toOption({ opt_group, power, option_code, stock, hidden }: SentOption): ProductOption {
  return { opt_group, power, option_code, stock, hidden: hidden !== false && hidden !== 0 };
}

/** The object as what its rules make sure that it is, or its first fault. */
function checked<Sent>(object: JsonObject, rules: Record<keyof Sent, Rule>, path: string): Sent | string {
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const fault = Object.hasOwn(object, name) ? rule(object[name]) : 'is missing';
    if (fault !== undefined) return `${path}${name} ${fault}`;
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each field has passed its rule, which TypeScript cannot follow through a table of rules.
  return object as Sent;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
