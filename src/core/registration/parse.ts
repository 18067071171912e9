// Validates the channel's JSON field by field. Types are strict: a power sent as the number -1 instead of the text
// "-1.00" would create another variant code.

import type { ProductInfo, ProductOption } from '../rules/product-info.ts';
import type { ShapeFault } from '../../platform/outbound/failure.ts';

export const OPTIONS_MAX = 5000;
export const TEXT_CHARS_MAX = 1000;

type ParsedAnswer =
  | { kind: 'found'; info: ProductInfo }
  | { kind: 'not_found' }
  | ({ kind: 'wrong_shape' } & WrongShape);

/** `field` by its dotted path, such as options.3.power; null: the whole answer. */
interface WrongShape {
  field: string | null;
  fault: ShapeFault;
}

type JsonObject = Record<string, unknown>;

/** Returns what is wrong with a value, or undefined. */
type Rule = (value: unknown) => ShapeFault | undefined;

const text: Rule = (value) => {
  if (typeof value !== 'string') return { kind: 'wrong_type', types: ['string'] };
  // Two checks for text that PostgreSQL cannot store.
  if (value.includes('\u0000')) return { kind: 'null_character' };
  if (!value.isWellFormed()) return { kind: 'lone_surrogate' };
  return Array.from(value).length > TEXT_CHARS_MAX
    ? { kind: 'too_long', characters_max: TEXT_CHARS_MAX }
    : undefined;
};

const integer: Rule = (value) =>
  Number.isSafeInteger(value) ? undefined : { kind: 'wrong_type', types: ['integer'] };

const flag: Rule = (value) =>
  typeof value === 'boolean' || Number.isSafeInteger(value)
    ? undefined
    : { kind: 'wrong_type', types: ['boolean', 'integer'] };

const optionList: Rule = (value) => {
  if (!Array.isArray(value)) return { kind: 'wrong_type', types: ['array'] };
  return value.length > OPTIONS_MAX ? { kind: 'too_many', elements_max: OPTIONS_MAX } : undefined;
};

const NO_OBJECT: ShapeFault = { kind: 'wrong_type', types: ['object'] };

const INFO_RULES = { goods_name: text, is_monthly: integer, options: optionList };
const OPTION_RULES = { opt_group: text, power: text, option_code: text, stock: integer, hidden: flag };

export function parseProductInfo(answer: unknown): ParsedAnswer {
  if (!isObject(answer)) return { kind: 'wrong_shape', field: null, fault: NO_OBJECT };
  if (answer['found'] !== true) return { kind: 'not_found' };
  const info = checked<SentInfo>(answer, INFO_RULES, '');
  if ('fault' in info) return { kind: 'wrong_shape', ...info };
  const options: ProductOption[] = [];
  for (const [index, sent] of info.sent.options.entries()) {
    const option = isObject(sent)
      ? checked<SentOption>(sent, OPTION_RULES, `options.${index}.`)
      : { field: `options.${index}`, fault: NO_OBJECT };
    if ('fault' in option) return { kind: 'wrong_shape', ...option };
    options.push(toOption(option.sent));
  }
  const { goods_name, is_monthly } = info.sent;
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

/** The object with the type that its rules ensure, or its first fault. */
function checked<Sent>(
  object: JsonObject,
  rules: Record<keyof Sent, Rule>,
  path: string,
): { sent: Sent } | WrongShape {
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const fault: ShapeFault | undefined = Object.hasOwn(object, name)
      ? rule(object[name])
      : { kind: 'required' };
    if (fault !== undefined) return { field: `${path}${name}`, fault };
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each field has passed its rule, which TypeScript cannot follow through a table of rules.
  return { sent: object as Sent };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
