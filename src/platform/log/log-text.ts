// Log lines for people, written when the log goes to a terminal. Elsewhere the log is JSON, one object per line.
import { Writable } from 'node:stream';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', ['bold', 'red']],
};
/** Fields that are the same in every line of a process, or shown elsewhere in the line. */
const NOT_REPEATED = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);
const LEVEL_CHARS = 5;

interface LogLine {
  level: number;
  /** ISO 8601, or milliseconds since 1970. */
  time: number | string;
  msg?: string;
  err?: { stack?: string; message?: string };
  [field: string]: unknown;
}

const clock = (time: number | string): string => {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
};

/** Escapes characters with which a value could move the cursor, change colours or begin a new line. */
const harmless = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);

const fieldText = ([name, value]: [string, unknown]): string =>
  harmless(
    `${name}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`,
  );

/** One line of the JSON log as text: time, level, message and fields, followed by the stack of an error. */
export function logText(json: string, paint: (style: Style, text: string) => string): string {
  const line: LogLine = JSON.parse(json);
  const [level, style] = LEVELS[line.level] ?? [String(line.level), 'reset'];
  const fields = Object.entries(line).filter(([name]) => !NOT_REPEATED.has(name));
  const words = [
    paint('gray', clock(line.time)),
    paint(style, level.padEnd(LEVEL_CHARS)),
    harmless(line.msg ?? ''),
    ...fields.map((field) => paint('gray', fieldText(field))),
  ];
  const stack = (line.err?.stack ?? line.err?.message)?.split('\n').map(harmless).join('\n');
  return `${words.filter((word) => word !== '').join(' ')}\n${stack === undefined ? '' : `${stack}\n`}`;
}

/** For a logger: writes each line as text. Colours follow NO_COLOR, FORCE_COLOR and what the terminal can show. */
export const textStream = (to: NodeJS.WriteStream): Writable =>
  new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      to.write(
        logText(String(line), (style, text) => styleText(style, text, { stream: to })),
        done,
      );
    },
  });
