// Shared by the tools' command lines: flags, numbers, progress and the exit code.
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { fromCaller } from '../../src/platform/cli/caller-path.ts';
import { patientFetch } from './patient-fetch.ts';
import { SEED_BELOW } from './random.ts';

/** The command line is wrong: one line, exit code 2. */
export class UsageError extends Error {}

/** The command cannot run on this machine: one line, exit code 1. */
export class CannotRun extends Error {}

export const newSeed = (): number => randomInt(SEED_BELOW);

/** How one option is read; `text` is undefined if it is not given. */
export interface Option<Value> {
  flag?: true;
  read(name: string, text: string | undefined): Value;
}

export const amount = (fallback: number): Option<number> => ({
  read(name, text) {
    const value = text === undefined ? fallback : Number(text);
    if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name} must be a number above 0`);
    return value;
  },
});
export const count = (fallback: number): Option<number> => ({
  read(name, text) {
    const value = amount(fallback).read(name, text);
    if (!Number.isSafeInteger(value)) throw new UsageError(`${name} must be a whole number`);
    return value;
  },
});
/** A new seed if none is given. */
export const seed: Option<number> = {
  read(name, text = String(newSeed())) {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value >= SEED_BELOW)
      throw new UsageError(`${name} must be a whole number below ${SEED_BELOW}`);
    return value;
  },
};
export const yes: Option<boolean> = { flag: true, read: (_, text) => text !== undefined };
export const anyText: Option<string | null> = { read: (_, given) => given ?? null };
/** null if it is not given. */
export const callersPath: Option<string | null> = {
  read: (_, given) => (given === undefined ? null : fromCaller(given)),
};
/** Its directory is checked before a long run, not at its end. */
export const fileToWrite: Option<string | null> = {
  read(name, given) {
    const file = callersPath.read(name, given);
    if (file === null || existsSync(dirname(file))) return file;
    throw new UsageError(`${name}: the directory ${dirname(file)} does not exist`);
  },
};
/** null if it is not given. */
export const maybe = <Value>(option: Option<Value>): Option<Value | null> => ({
  read: (name, given) => (given === undefined ? null : option.read(name, given)),
});
export const oneOf = <const Name extends string>(names: readonly Name[], fallback: Name): Option<Name> => ({
  read: (name, text = fallback) => oneNamed(name, text, names),
});
export const someOf = <const Name extends string>(names: readonly Name[]): Option<readonly Name[]> => ({
  read: (name, text) => text?.split(',').map((one) => oneNamed(name, one.trim(), names)) ?? names,
});

function oneNamed<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined)
    throw new UsageError(`${option} must be one of ${names.join(', ')}, not "${text}"`);
  return found;
}

type ValuesOf<Readers> = {
  [Name in keyof Readers]: Readers[Name] extends Option<infer Value> ? Value : never;
};

/** `check_every` is `--check-every`. Returns null for --help. */
export const optionsOf =
  <const Readers extends Record<string, Option<unknown>>>(readers: Readers) =>
  (args: readonly string[]): ValuesOf<Readers> | null => {
    const nameOf = (key: string): string => key.replaceAll('_', '-');
    const flags = Object.entries(readers).map(([key, { flag }]) => [
      nameOf(key),
      { type: flag ? ('boolean' as const) : ('string' as const) },
    ]);
    const values = parsed(args, { ...Object.fromEntries(flags), help: { type: 'boolean' } });
    if (values['help']) return null;
    const read = Object.entries(readers).map(([key, option]) => {
      const value = values[nameOf(key)];
      return [key, option.read(`--${nameOf(key)}`, value === undefined ? undefined : String(value))];
    });
    return Object.fromEntries(read) as ValuesOf<Readers>;
  };

function parsed(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\.?(?: To |\n)/);
    throw new UsageError(`${sentence}; --help lists the options`, { cause: error });
  }
}

/** For programs that need no graceful stop. Prints the help, or what is wrong with the options, and exits. */
export function optionsOrExit<Options>(
  help: string,
  readOptions: (args: readonly string[]) => Options | null,
): Options {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== null) return options;
    console.log(help);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

const INTERRUPTED = 130;

/**
 * Runs a command and sets the exit code: 0 success, 1 failure, 2 wrong option, 130 interrupted. The first Ctrl-C stops it
 * gracefully together with what it has started; the second ends it immediately. Prints the help if `options` is null.
 */
export async function runCommand<Options>(
  help: string,
  readOptions: (args: readonly string[]) => Options | null,
  main: (options: Options, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  patientFetch();
  const stopping = new AbortController();
  const stopBy = (name: NodeJS.Signals) => stopping.abort(new Error(`stopped by ${name}`));
  process.once('SIGINT', stopBy);
  // timeout(1) sends them twice, to the process and to its group: the second one must not end it before it has cleaned up.
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, stopBy);
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === null) console.log(help);
    else process.exitCode = await main(options, stopping.signal);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const isStopped = stopping.signal.aborted;
    const isExpected = isUsage || isStopped || error instanceof CannotRun;
    console.error(isExpected ? (error as Error).message : error);
    process.exitCode = isUsage ? 2 : isStopped ? INTERRUPTED : 1;
  }
}

/** Prints progress with the seconds since the start. */
export const say = (text: string): void =>
  console.log(`${String(Math.floor(performance.now() / 1000)).padStart(4)} s  ${text}`);

export const grouped = (value: number): string => Math.round(value).toLocaleString('en');
