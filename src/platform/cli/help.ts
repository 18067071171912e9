// Help texts, generated from the commands.
import { optionsOf, type CliCommand, type CliOption } from './command.ts';

const ENVIRONMENT = [
  'DATABASE_URL            the PostgreSQL server to work on; unset: the embedded one',
  'DATABASE_MIGRATION_URL  the same database as the role that owns its schema: migrate, backup, restore',
  'SLUICE_DATA_DIR         where the embedded database is (default: .data in the project)',
  'SLUICE_SECRET           seals channel keys; required with DATABASE_URL to create them',
  'SLUICE_SECRET_FILE      a file that contains it',
  'SLUICE_SECRET_PREVIOUS  the previous secret, during a rotation; see "sluice secret rotate --help"',
  'DATABASE_URL_FILE, …    a file with the value: of every variable above except SLUICE_DATA_DIR',
];

export function overview(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'sluice: administers a Sluice service from the command line.',
    '',
    'Usage: sluice COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options:',
    '  --help     show this help, or the help of a command: sluice channel create --help',
    '  --version  show the version',
    '',
    'Environment:',
    ...ENVIRONMENT.map((line) => `  ${line}`),
    '',
    'Commands use the database of a running service; otherwise the embedded database is started for the command.',
    'Exit codes: 0 success, 1 failure, 2 wrong usage.',
    '',
  ].join('\n');
}

export function helpOf(command: CliCommand): string {
  const options = optionsOf(command);
  const operands = command.operands ?? [];
  return [
    `sluice ${command.name}: ${command.summary}`,
    '',
    `Usage: ${usageOf(command)}`,
    ...section(
      'Arguments:',
      operands.map(({ name, help }) => [name, help]),
    ),
    ...section(
      'Options:',
      Object.entries(options).map(([name, option]) => [optionText(name, option), option.help]),
    ),
    ...(command.about ? ['', ...command.about] : []),
    '',
    command.examples.length === 1 ? 'Example:' : 'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function usageOf(command: CliCommand): string {
  const operands = (command.operands ?? []).map(({ name }) => name);
  const options = Object.entries(command.options ?? {}).map(([name, option]) =>
    option.required === true ? optionText(name, option) : `[${optionText(name, option)}]`,
  );
  const json = command.isSilent ? [] : ['[--json]'];
  return ['sluice', command.name, ...operands, ...options, ...json].join(' ');
}

const optionText = (name: string, option: CliOption): string =>
  option.value === undefined ? `--${name}` : `--${name} ${option.value}`;

function section(title: string, lines: readonly (readonly [string, string])[]): string[] {
  if (lines.length === 0) return [];
  const width = Math.max(...lines.map(([left]) => left.length));
  return ['', title, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)];
}
