// The texts of violations: what is wrong with a channel's product information, in English for operators.

/** A name or code is quoted as JSON, which shows leading and trailing blanks and control characters: often the problem. */
const quote = (text: string): string => JSON.stringify(text);

const LISTED_VALUES_MAX = 20;

function list(values: readonly string[]): string {
  const listed = values.slice(0, LISTED_VALUES_MAX).map(quote).join(', ');
  const rest = values.length - LISTED_VALUES_MAX;
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

const codeList = (codes: readonly string[]): string =>
  `${codes.length === 1 ? 'code' : 'codes'} ${list(codes)}`;

export const nameBlank = (usercode: string): string =>
  `The channel sent no name for product ${quote(usercode)}.`;

export const nameTooLong = (chars: number, charsMax: number): string =>
  `The product name has ${chars} characters; at most ${charsMax} are possible.`;

export const noOptions = (usercode: string): string =>
  `The channel lists no options for product ${quote(usercode)}, so there is no SKU to apply.`;

export const tooManyGroups = (groups: readonly string[]): string =>
  `A two-piece set has at most two option groups, but the channel sent ${groups.length}: ${list(groups)}.`;

interface MissingPower {
  power: string;
  group: string;
  other_group: string;
  /** The same power in this group, written in another way. */
  lookalike: string | undefined;
}

export function powerMissing({ power, group, other_group, lookalike }: MissingPower): string {
  const hint =
    lookalike === undefined
      ? ''
      : ` Group ${quote(group)} has ${quote(lookalike)}: powers are compared as text, so the two must be written alike.`;
  return `Power ${quote(power)} is in group ${quote(other_group)} but missing in group ${quote(group)}.${hint}`;
}

interface RepeatedPower {
  power: string;
  times: number;
  codes: readonly string[];
}

export const powerTwiceInGroup = (group: string, { power, times, codes }: RepeatedPower): string =>
  `Power ${quote(power)} is ${times} times in group ${quote(group)} (${codeList(codes)}); each power may be there once.`;

export const powerRepeated = ({ power, times, codes }: RepeatedPower): string =>
  `Power ${quote(power)} is there ${times} times (${codeList(codes)}), which would give one variant code to all of them. If this is a two-piece set, the channel must send is_monthly 1.`;

export function codeDiffers(
  power: string,
  sides: readonly { group: string; codes: readonly string[] }[],
): string {
  const where = sides.map(({ group, codes }) => `${codeList(codes)} in group ${quote(group)}`).join(' and ');
  return `Power ${quote(power)} has ${where}; the sides are the same item and must carry the same code.`;
}

export const codeOfSeveralPowers = (code: string, powers: readonly string[]): string =>
  `Code ${quote(code)} is used for ${powers.length} powers: ${list(powers)}; each power needs a code of its own.`;

/** `powers`: one for each option, also if they repeat. */
export const codeRepeated = (code: string, powers: readonly string[]): string =>
  `Code ${quote(code)} is given to ${powers.length} options (powers ${list(powers)}); each option needs a code of its own.`;

export const powerBlank = (code: string): string =>
  `The option with code ${quote(code)} has no power; that is possible only for a product with a single SKU.`;

export const codeBlank = (power: string): string => `The option with power ${quote(power)} has no code.`;

export const codeTooLong = (power: string, chars: number, charsMax: number): string =>
  `The code of power ${quote(power)} has ${chars} characters; at most ${charsMax} are possible.`;

export const variantCodeTooLong = (power: string, chars: number, charsMax: number): string =>
  `Product code and power ${quote(power)} give a variant code of ${chars} characters; at most ${charsMax} are possible.`;

export const variantTaken = (variantCode: string): string =>
  `The variant code ${variantCode} belongs to another product already.`;

/** The error list contains a message once, but each affected row repeats it, and there may be thousands of rows. */
const PROBLEM_CHARS_MAX = 500;

/** The message as it is shown at a row. */
export function problemText(message: string): string {
  const characters = Array.from(message);
  return characters.length > PROBLEM_CHARS_MAX
    ? `${characters.slice(0, PROBLEM_CHARS_MAX - 1).join('')}…`
    : message;
}
