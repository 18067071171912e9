// Commands and the parsing of their arguments. Wrong arguments are a UsageError: exit code 2.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { closest } from '../values/closest.ts';
import { systemError } from '../log/system-error.ts';
import type { SealedColumns } from '../secrets/sealed-column.ts';

export interface CliOption {
  /** Placeholder of the value in the help, e.g. NAME; none: a flag. */
  readonly value?: string;
  readonly required?: boolean;
  readonly help: string;
}

export interface CliCommand {
  /** `channel create`: one or two words. */
  readonly name: string;
  readonly summary: string;
  /** More than the summary: formats, limits, side effects. */
  readonly about?: readonly string[];
  readonly operands?: readonly { readonly name: string; readonly help: string }[];
  readonly options?: Readonly<Record<string, CliOption>>;
  readonly examples: readonly string[];
  /** It prints no result, so there is no --json. */
  readonly isSilent?: true;
  /** The exit code; undefined means 0. */
  run(args: Args, program: Program): Promise<number | undefined>;
}

/** What commands need of the whole program. */
export interface Program {
  readonly sealedColumns: SealedColumns;
}

export interface Args {
  readonly json: boolean;
  operand(index: number): string;
  text(option: string): string | null;
  required(option: string): string;
  flag(option: string): boolean;
}

/** Wrong usage; the hint says what to type instead. */
export class UsageError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** An expected failure: one line for the terminal, exit code 1. The line ends with that of its cause. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

const JSON_OPTION: CliOption = { help: 'print the result as JSON' };
const HELP_OPTION: CliOption = { help: 'show this help' };

export const optionsOf = (command: CliCommand): Readonly<Record<string, CliOption>> => ({
  ...command.options,
  ...(command.isSilent ? {} : { json: JSON_OPTION }),
  help: HELP_OPTION,
});

const hintFor = (command: CliCommand): string => `See "sluice ${command.name} --help".`;

/** null: help was requested. */
export function readArgs(command: CliCommand, argv: readonly string[]): Args | null {
  const options = optionsOf(command);
  const { values, positionals } = parse(command, options, argv);
  if (values['help'] === true) return null;
  checkOperands(command, positionals);
  for (const [name, option] of Object.entries(options)) {
    const value = values[name];
    if (option.required === true && value === undefined) {
      throw new UsageError(`--${name} ${option.value} is required.`, hintFor(command));
    }
    if (typeof value === 'string' && value.trim() === '') {
      throw new UsageError(`--${name} must not be blank.`, hintFor(command));
    }
  }
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    json: values['json'] === true,
    operand: (index) => positionals[index] ?? '',
    text,
    required: (name) => text(name) ?? '',
    flag: (name) => values[name] === true,
  };
}

function parse(command: CliCommand, options: Readonly<Record<string, CliOption>>, argv: readonly string[]) {
  const config: ParseArgsConfig['options'] = {};
  for (const [name, option] of Object.entries(options)) {
    config[name] = { type: option.value === undefined ? 'boolean' : 'string' };
  }
  config['help'] = { type: 'boolean', short: 'h' };
  try {
    return parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw asUsageError(command, options, error);
  }
}

/** Node's own messages are long and refer to its API. */
function asUsageError(
  command: CliCommand,
  options: Readonly<Record<string, CliOption>>,
  error: unknown,
): unknown {
  const { code, message = '' } = systemError(error);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const given = /'(-[^']*)'/.exec(message)?.[1] ?? '';
    const meant = closest(
      given.replace(/^-+/, ''),
      Object.keys(options).filter((name) => given.startsWith('--') && name !== ''),
    );
    const hint = meant === null ? hintFor(command) : `Did you mean --${meant}? ${hintFor(command)}`;
    return new UsageError(`Unknown option ${given} of "sluice ${command.name}".`, hint);
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    const name = /'(?:-\w, )?--([^ '=]+)/.exec(message)?.[1] ?? '';
    const value = options[name]?.value;
    const text =
      value === undefined ? `--${name} takes no value.` : `--${name} needs a value: --${name} ${value}.`;
    return new UsageError(text, hintFor(command));
  }
  return error;
}

function checkOperands(command: CliCommand, given: readonly string[]): void {
  const wanted = command.operands ?? [];
  const missing = wanted[given.length];
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.help}.`, hintFor(command));
  const extra = given[wanted.length];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`, hintFor(command));
  const blank = wanted.find((_, index) => given[index]?.trim() === '');
  if (blank) throw new UsageError(`${blank.name} must not be blank.`, hintFor(command));
}
