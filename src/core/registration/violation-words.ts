// Messages about invalid options of a channel, in English, and their place in the answer of the API.
import type { Violation } from '../rules/set-product-rules.ts';
import type { ProductProposal } from '../rules/set-product.ts';
import { say, type WordsFor } from '../../platform/values/say.ts';

const LISTED_VALUES_MAX = 20;
/** The error list contains a message once, but each affected row repeats it, and there may be thousands of rows. */
const PROBLEM_CHARS_MAX = 500;

const WORDS: WordsFor<Violation> = {
  name_blank: ({ product_code }) => `The channel sent no name for product ${quote(product_code)}.`,
  name_too_long: ({ characters, characters_max }) =>
    `The product name has ${characters} characters; the maximum is ${characters_max}.`,
  no_options: ({ product_code }) =>
    `The channel lists no options for product ${quote(product_code)}, so no SKU can be created.`,
  too_many_groups: ({ groups }) =>
    `A two-piece set has at most two option groups, but the channel sent ${groups.length}: ${list(groups)}.`,
  power_blank: ({ option_codes: [code = ''] }) =>
    `The option with code ${quote(code)} has no power; that is possible only for a product with a single SKU.`,
  power_missing: ({ power, group, in_group, written_as }) => {
    const hint =
      written_as === undefined
        ? ''
        : ` Group ${quote(group)} has ${quote(written_as)}: powers are compared as text, so the two must be written alike.`;
    return `Power ${quote(power)} is in group ${quote(in_group)} but missing in group ${quote(group)}.${hint}`;
  },
  power_repeated: ({ power, group, times, option_codes }) =>
    group === undefined
      ? `Power ${quote(power)} occurs ${times} times (${codeList(option_codes)}); all of them would get the same variant code. If this is a two-piece set, the channel must send is_monthly 1.`
      : `Power ${quote(power)} occurs ${times} times in group ${quote(group)} (${codeList(option_codes)}); each power may occur only once.`,
  code_blank: ({ power }) => `The option with power ${quote(power)} has no code.`,
  code_differs: ({ power, groups }) => {
    const where = groups.map(
      ({ group, option_codes }) => `${codeList(option_codes)} in group ${quote(group)}`,
    );
    return `Power ${quote(power)} has ${where.join(' and ')}; the sides are the same item and must have the same code.`;
  },
  code_repeated: ({ option_codes: [code = ''], powers, is_set }) =>
    is_set
      ? `Code ${quote(code)} is used for ${powers.length} powers: ${list(powers)}; each power needs a code of its own.`
      : `Code ${quote(code)} is given to ${powers.length} options (powers ${list(powers)}); each option needs a code of its own.`,
  code_too_long: ({ power, characters, characters_max }) =>
    `The code of power ${quote(power)} has ${characters} characters; the maximum is ${characters_max}.`,
  variant_code_too_long: ({ power, characters, characters_max }) =>
    `Product code and power ${quote(power)} give a variant code of ${characters} characters; the maximum is ${characters_max}.`,
  variant_taken: ({ variant_code }) => `The variant code ${variant_code} belongs to another product already.`,
};

export const violationText = (violation: Violation): string => say(WORDS, violation);

/** For programs: code and facts of a violation, in addition to the rows. */
export interface ViolationFacts {
  code: Violation['kind'];
  rows: number[];
  details: object;
}

export const violationFacts = ({ kind, rows, ...details }: Violation): ViolationFacts => ({
  code: kind,
  rows,
  details,
});

type Worded = Omit<ProductProposal, 'options' | 'violations'> & {
  options: (ProductProposal['options'][number] & { problems: string[] })[];
  violations: (ViolationFacts & { message: string })[];
  errors: string[];
};

/** The only place where violations become error texts and row problems. */
export function withWords(proposal: ProductProposal): Worded {
  const violations = proposal.violations.map((one) => ({
    ...violationFacts(one),
    message: violationText(one),
  }));
  const problems = new Map<number, string[]>();
  for (const { rows, message } of violations) {
    for (const row of rows) problems.set(row, [...(problems.get(row) ?? []), clipped(message)]);
  }
  return {
    ...proposal,
    options: proposal.options.map((option, row) => ({ ...option, problems: problems.get(row) ?? [] })),
    errors: violations.map(({ message }) => message),
    violations,
  };
}

const codeList = (codes: readonly string[]): string =>
  `${codes.length === 1 ? 'code' : 'codes'} ${list(codes)}`;

function list(values: readonly string[]): string {
  const listed = values.slice(0, LISTED_VALUES_MAX).map(quote).join(', ');
  const rest = values.length - LISTED_VALUES_MAX;
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

// JSON quoting shows leading and trailing blanks and control characters, which are often the problem.
function quote(text: string): string {
  return JSON.stringify(text);
}

function clipped(message: string): string {
  const characters = Array.from(message);
  return characters.length > PROBLEM_CHARS_MAX
    ? `${characters.slice(0, PROBLEM_CHARS_MAX - 1).join('')}…`
    : message;
}
