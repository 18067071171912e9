// The examples of docs/channels: found by their info strings, run, and compared with the output that the page shows.
//
//   sh run, ts run, python run, php run    a program; the next block with `output` is what it prints
//   http run                               one request; the next block with `answer` is status, headers, body;
//                                          without such a block the request has to succeed
//   python serve, php serve                a server on port 9000; `sh ask` is run against each of them
//   http run overloaded                    one request to an overloaded service
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { call } from '../../verify/kit/service.ts';

const DIRECTORY = new URL('../../docs/channels/', import.meta.url);

export interface Example {
  page: string;
  line: number;
  language: string;
  words: string[];
  code: string;
  /** The output or answer that the page shows. */
  expected: string | null;
}

export type Environment = Record<string, string>;

export const pages: readonly string[] = readdirSync(DIRECTORY).filter((file) => file.endsWith('.md'));
export const pageText = (page: string): string => readFileSync(new URL(page, DIRECTORY), 'utf8');

export function examplesOf(page: string): Example[] {
  const text = pageText(page);
  const blocks = [...text.matchAll(/^```(\S+)([^\n]*)\n(.*?)^```$/gms)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    words: (match[2] ?? '').trim().split(' '),
    code: match[3] ?? '',
  }));
  return blocks.flatMap((block, index) => {
    if (!['run', 'serve', 'ask'].includes(block.words[0] ?? '')) return [];
    const next = blocks[index + 1];
    const isShown = next?.words[0] === 'output' || next?.words[0] === 'answer';
    return [{ ...block, expected: isShown ? next.code : null }];
  });
}

/** Sends an `http run` block; returns its answer in the format of an `answer` block. */
export async function runRequest({ code, expected }: Example, env: Environment): Promise<string> {
  const [head = '', ...rest] = code
    .replaceAll(/\$(\w+)/g, (_, name: string) => env[name] ?? '')
    .split('\n\n');
  const [line = '', ...headerLines] = head.trim().split('\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(headerLines.map(headerOf));
  const body = rest.join('\n\n').trim();
  const answer = await call(`${env['SLUICE']}${path}`, method, body === '' ? undefined : body, {
    'x-api-key': env['SLUICE_KEY'] ?? '',
    ...headers,
  });
  if (expected === null) assert.ok(answer.status < 300, `${code}\n${answer.status} ${answer.text}`);
  const named = (expected?.split('\n\n')[0] ?? '').split('\n').slice(1).map(headerOf);
  const shown = named.map(([name, wanted]) => {
    const value = answer.headers.get(name) ?? '';
    return `${name}: ${isNear(wanted, value) ? wanted : value}`;
  });
  return [`HTTP/1.1 ${answer.status}`, ...shown, '', answer.text].join('\n');
}

const SECONDS_OFF_MAX = 30;

/** Headers in seconds may differ from the page by up to SECONDS_OFF_MAX. */
const isNear = (wanted: string, value: string): boolean =>
  value !== '' && Number(wanted) > 1 && Math.abs(Number(wanted) - Number(value)) <= SECONDS_OFF_MAX;

const headerOf = (line: string): [string, string] => {
  const at = line.indexOf(':');
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
};

/** Matches any text. */
const SOMETHING = '…';

/** Fails unless both are equal, except ids, times, and values that the page leaves open. */
export function assertShown(example: Example, actual: string): void {
  const where = `docs/channels/${example.page}:${example.line}`;
  if (example.expected === null) return;
  const [wanted, got] =
    example.language === 'http'
      ? [answerParts(example.expected), answerParts(actual)]
      : [outputParts(example.expected), outputParts(actual)];
  assert.deepEqual(openedBy(wanted, got), wanted, `${where}\n${actual}`);
}

const outputParts = (text: string): unknown[] => {
  const whole = parsed(text);
  return whole === undefined
    ? text
        .trim()
        .split('\n')
        .map((line) => parsed(line) ?? line)
    : [whole];
};

const answerParts = (text: string): unknown[] => {
  const [head = '', ...body] = text.split('\n\n');
  const [status = '', ...headers] = head.trim().split('\n');
  return [
    status.split(' ')[1],
    ...headers.map((line) => headerOf(line).join(': ')),
    parsed(body.join('\n\n')),
  ];
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

/** `got` with the page's own value wherever any value is accepted. */
function openedBy(wanted: unknown, got: unknown, key = ''): unknown {
  if (wanted === SOMETHING && typeof got === 'string' && got !== '') return wanted;
  if (key === 'id' && Number.isInteger(got)) return wanted;
  if (key === 'created_at' && TIME.test(String(got))) return wanted;
  if (Array.isArray(wanted) && Array.isArray(got))
    return got.map((value, index) => openedBy(wanted[index], value));
  if (isObject(wanted) && isObject(got))
    return Object.fromEntries(
      Object.entries(got).map(([name, value]) => [name, openedBy(wanted[name], value, name)]),
    );
  return got;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
