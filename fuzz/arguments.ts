// What the commands of this room have in common on the command line.
import { parseArgs } from 'node:util';
import { newSeed, SEED_BELOW } from './seeded.ts';

export class UsageError extends Error {}

/** Every option takes a value, but for --help. */
export function readArguments<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { [K in Name | 'help']?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean' } } });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])) as {
      [K in Name | 'help']?: string;
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function positive(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name} must be a number above 0`);
  return value;
}

export function positiveInteger(name: string, text: string | undefined, fallback: number): number {
  const value = positive(name, text, fallback);
  if (!Number.isSafeInteger(value)) throw new UsageError(`${name} must be a whole number`);
  return value;
}

/** A new one where none is given. */
export function seedFrom(name: string, text: string | undefined): number {
  if (text === undefined) return newSeed();
  const value = Number(text);
  if (!/^\d+$/.test(text) || value >= SEED_BELOW)
    throw new UsageError(`${name} must be a whole number below ${SEED_BELOW}`);
  return value;
}

/**
 * Runs a command and sets the exit code: 0 all well, 1 a fault, 2 a wrong option. The first Ctrl-C lets it end in order
 * and stop what it has started; the second ends it at once.
 */
export async function runCommand(
  help: string,
  main: (args: string[], signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopping.abort());
  try {
    process.exitCode = await main(process.argv.slice(2), stopping.signal);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${error.message}\n\n${help}` : error);
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** Progress, with the seconds since the start. */
export const say = (text: string): void =>
  console.log(`${String(Math.floor(performance.now() / 1000)).padStart(4)} s  ${text}`);

export const grouped = (value: number): string => Math.round(value).toLocaleString('en');
