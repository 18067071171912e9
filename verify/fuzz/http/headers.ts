// Credentials and other headers, valid and invalid.
import fc from 'fast-check';
import { oneOf, weighted, words, type Arbitrary } from '../arbitrary.ts';
import type { ApiOperation } from './document.ts';

type Header = [name: string, value: string];

const bearer = (token: string): Header[] => [['Authorization', `Bearer ${token}`]];
const session: Header[] = [['Cookie', 'sluice_session={{session}}']];
const key = (value: string): Header[] => [['X-Api-Key', value]];

/** Chooses by weight. */
const choice = (...list: readonly (readonly [weight: number, headers: Header[]])[]): Arbitrary<Header[]> =>
  weighted(...list.map(([weight, headers]) => [weight, fc.constant(headers)] as const));

/** Mostly valid credentials. */
export const usualCredentials = ({ api }: ApiOperation): Arbitrary<Header[]> =>
  api === 'channel'
    ? choice([60, key('{{key.1}}')], [30, key('{{key.2}}')], [3, key('{{key.3}}')])
    : choice(
        [6, bearer('{{token.admin}}')],
        [1, bearer('{{token.operator}}')],
        [1, bearer('{{token.viewer}}')],
        [2, [...session, ['X-CSRF-Token', '{{csrf}}']]],
      );

const oddKey = oneOf(
  ...words('sluice_ sluice_00000000-0000-4000-8000-000000000000 {{key.1}}x {{token.admin}} __proto__ null'),
  ...words('"{{key.1}}" SLUICE_{{key.1}} %00 \u00e9'),
  '',
  ' ',
  ' {{key.1}} ',
  '{{key.1}}, {{key.2}}',
  'x'.repeat(8_000),
  "' or '1'='1",
);
const withOdd = (make: (odd: string) => Header[]): Arbitrary<Header[]> => oddKey.map(make);

/** Missing, foreign or several credentials. A valid one with surrounding blanks is still valid. */
export const oddCredentials = ({ api }: ApiOperation): Arbitrary<Header[]> =>
  api === 'channel'
    ? weighted(
        [5, choice([3, []], [1, [...key('{{key.1}}'), ...key('{{key.2}}')]], [1, bearer('{{key.1}}')])],
        [6, withOdd(key)],
      )
    : weighted(
        [
          10,
          choice(
            [3, []],
            [1, [['Authorization', 'Basic YTpi']]],
            [1, [['Authorization', 'bearer  {{token.admin}}']]],
            [1, [...bearer('{{token.viewer}}'), ...bearer('{{token.admin}}')]],
            [2, session],
            [1, [...session, ['X-CSRF-Token', '{{csrf}}'], ['Origin', 'https://evil.test']]],
            [1, key('{{key.1}}')],
          ),
        ],
        [3, withOdd(bearer)],
        [1, withOdd((odd) => [['Authorization', odd]])],
        [1, withOdd((odd) => [...session, ['X-CSRF-Token', odd]])],
        [1, withOdd((odd) => [['Cookie', `a=b; sluice_session=${odd}; ;;=`]])],
      );

const long = (length: number): string => 'x'.repeat(length);

/** Weight, name, values. */
const ODD: readonly (readonly [weight: number, name: string, ...values: string[]])[] = [
  [
    8,
    'Content-Type',
    ...words(
      'application/json APPLICATION/JSON text/plain application/x-www-form-urlencoded application/xml',
    ),
    ...words('application/octet-stream ;;; / */* a/b/c \u00e9/json __proto__'),
    ...['utf-8', 'utf-16', 'shift_jis'].map((charset) => `application/json; charset=${charset}`),
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    '',
    long(500),
  ],
  [4, 'Content-Encoding', 'gzip', 'br', 'identity', 'x', ''],
  [4, 'Expect', '100-continue', '100-CONTINUE', 'tea', ''],
  [2, 'Connection', 'close', 'keep-alive', 'upgrade', 'x', 'close, x', ''],
  [4, 'X-Request-Id', '', long(65), '<b>', 'a b', '../..', '\u00e9', 'good.one-1'],
  [4, 'Accept-Encoding', 'gzip', 'br', '*', 'gzip;q=0', 'gzip;q=0.000', ';;', ',', long(2_000)],
  [2, 'If-None-Match', '*', 'W/"', '"x"', ',,,', 'W/"0-0-0"', long(2_000)],
  [2, 'Accept', 'text/html', 'image/*', '', 'application/xml', '*/*;q=0'],
  [2, 'Host', '', 'a b', 'evil.test', '[::1]:80', long(1_000), '\u00e9'],
  [2, 'Origin', 'null', 'https://evil.test', '', 'x', 'http://sluice.test', 'http://['],
  [2, 'Sec-Fetch-Site', 'cross-site', 'same-origin', 'none', 'x', ''],
  [2, 'X-Forwarded-For', '1.2.3.4', '', long(1_000), '::1, ::2', '"', 'unknown'],
  [2, 'X-HTTP-Method-Override', 'DELETE', 'GET', 'x'],
  [2, 'Range', 'bytes=0-1'],
  [2, 'Cookie', ';', '=', 'a', 'sluice_session=', 'sluice_session={{session}}', 'x=y; '.repeat(500)],
  [2, 'Accept-Version', '1.0.0', 'x', ''],
  [2, 'X-Folded', 'a\r\n b'],
  [2, 'Transfer-Encoding', 'identity', 'gzip', 'chunked, gzip', 'xchunked', ''],
  [1, 'X-Large', long(8_000), long(20_000)],
];

export const oddHeaders: Arbitrary<Header[]> = weighted<Header[]>(
  ...ODD.map(([weight, name, ...values]): [number, Arbitrary<Header[]>] => [
    weight,
    oneOf(...values).map((value): Header[] => [[name, value]]),
  ]),
  [
    2,
    fc.constant<Header[]>([
      ['Content-Type', 'application/json'],
      ['Content-Type', 'text/plain'],
    ]),
  ],
  [
    2,
    oneOf('websocket', 'h2c', 'x').map((protocol): Header[] => [
      ['Connection', 'Upgrade'],
      ['Upgrade', protocol],
    ]),
  ],
  [
    2,
    fc
      .tuple(
        oneOf('__proto__', 'constructor', 'X Y', '', 'X\u0000', '\u00e9', ':', 'X-A'),
        oneOf('1', '', '\u0000', 'a\u0001b', '\u007f'),
      )
      .map((header): Header[] => [header]),
  ],
  [1, oneOf(50, 1_500, 2_500).map((length) => Array.from({ length }, (_, at): Header => [`X-${at}`, 'y']))],
);
