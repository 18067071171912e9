// The variables of the installed service, read from its systemd unit, so that a command without variables of its own uses
// the service's database. Nothing is executed: the files are parsed as systemd parses them.
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemError } from '../log/system-error.ts';
import { Failure } from '../cli/command.ts';

const UNIT = '/etc/systemd/system/sluice.service';
/** Its variables include the role that owns the schema, which the service must not know. */
const BACKUP_UNIT = 'sluice-backup.service';
/** With one of them the caller has chosen a database. It is not mixed with the settings of another one. */
const CHOICE = ['DATABASE_URL', 'DATABASE_URL_FILE', 'SLUICE_DATA_DIR'];

type Environment = Readonly<Record<string, string | undefined>>;

/** The caller's variables, and those of the service if the caller has chosen no database. */
export function commandEnvironment(program: string, { asOwner }: { asOwner: boolean }): Environment {
  const own = process.env;
  if (CHOICE.some((name) => own[name]?.trim())) return own;
  const unit = own['SLUICE_SERVICE_UNIT']?.trim() || UNIT;
  const lines = unitLines(unit);
  if (!lines.some((line) => starts(line, program))) return own;
  const more = asOwner ? unitLines(join(dirname(unit), BACKUP_UNIT)) : [];
  return { ...Object.fromEntries([...variablesOf(lines), ...variablesOf(more)]), ...own };
}

/** The unit, then its drop-ins (`systemctl edit`). Empty: not installed. */
function unitLines(unit: string): string[] {
  const text = textOf(unit);
  if (text === null) return [];
  const directory = `${unit}.d`;
  const dropIns = unlessMissing(() => readdirSync(directory)) ?? [];
  const files = dropIns.filter((name) => name.endsWith('.conf')).toSorted();
  return [text, ...files.map((name) => textOf(join(directory, name)) ?? '')].flatMap(linesOf);
}

/** The unit of another installation says nothing about this one. */
const starts = (line: string, program: string): boolean => {
  const started = /^ExecStart=[-@:+!|]*(\S+)/.exec(line)?.[1];
  return started !== undefined && unlessMissing(() => realpathSync(started)) === realpathSync(program);
};

/** As in systemd, variables from files replace those of the unit. */
function variablesOf(lines: readonly string[]): [string, string][] {
  const set = lines.flatMap((line) => /^Environment=(.*)$/.exec(line)?.[1] ?? []);
  const files = lines.flatMap((line) => /^EnvironmentFile=(.+)$/.exec(line)?.[1] ?? []);
  return [...set.flatMap(assignmentsIn), ...files.flatMap(variablesInFile)];
}

function variablesInFile(given: string): [string, string][] {
  const file = given.replace(/^-/, '');
  const text = textOf(file);
  if (text === null && file === given)
    throw new Failure(`${file}, which the unit of the service names, is missing.`);
  return linesOf(text ?? '').flatMap((line) => {
    const [, name, value] = /^([A-Za-z_]\w*)\s*=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquoted(value.trim())]];
  });
}

const assignmentsIn = (text: string): [string, string][] =>
  wordsOf(text.replaceAll('%%', '%')).flatMap((word) => {
    const at = word.indexOf('=');
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
  });

/** Logical lines: comments and blank lines removed, and lines that end with a backslash joined with the next one. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#;]/.test(line));

const wordsOf = (text: string): string[] =>
  (text.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? []).map(unquoted);

/** Without quotes and escapes. `#` and `$` are ordinary characters. */
const unquoted = (text: string): string =>
  text.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replaceAll(/\\(["\\`$])/g, '$1') ?? escaped ?? '',
  );

const textOf = (file: string): string | null => unlessMissing(() => readFileSync(file, 'utf8'));

/** null: the file is missing. */
function unlessMissing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code, path } = systemError(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new Failure(
      `${path}, which has the variables of the service, cannot be read by this user (${code}). Run the command as root or as the service's user, or set SLUICE_DATA_DIR or DATABASE_URL yourself.`,
    );
  }
}
