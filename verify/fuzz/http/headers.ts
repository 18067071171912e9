// Credentials and other headers, as they should be and as they should not.
import type { Operation } from './document.ts';
import type { Random } from '../../kit/random.ts';

type Header = [name: string, value: string];

const bearer = (token: string): Header[] => [['Authorization', `Bearer ${token}`]];
const session: Header[] = [['Cookie', 'sluice_session={{session}}']];

/** Mostly those of somebody who may. */
export function usualCredentials({ api }: Operation, random: Random): Header[] {
  if (api === 'channel')
    return [
      [
        'X-Api-Key',
        random.weighted([
          [6, '{{key.1}}'],
          [3, '{{key.2}}'],
          [0.3, '{{key.3}}'],
        ]),
      ],
    ];
  return random.weighted<Header[]>([
    [6, bearer('{{token.admin}}')],
    [1, bearer('{{token.operator}}')],
    [1, bearer('{{token.viewer}}')],
    [2, [...session, ['X-CSRF-Token', '{{csrf}}']]],
  ]);
}

const ODD_KEYS = [
  '',
  ' ',
  'sluice_',
  'sluice_00000000-0000-4000-8000-000000000000',
  '{{key.1}}x',
  ' {{key.1}} ',
  '{{key.1}}, {{key.2}}',
  '{{token.admin}}',
  '\u00e9',
  'x'.repeat(8_000),
  '__proto__',
  'null',
  '"{{key.1}}"',
  'SLUICE_{{key.1}}',
  '%00',
  "' or '1'='1",
];

/** None of somebody, or of somebody else, or several. A good one with blanks around it is still that one. */
export function oddCredentials({ api }: Operation, random: Random): Header[] {
  if (api === 'channel') {
    return random.weighted<Header[]>([
      [3, []],
      [6, [['X-Api-Key', random.pick(ODD_KEYS)]]],
      [
        1,
        [
          ['X-Api-Key', '{{key.1}}'],
          ['X-Api-Key', '{{key.2}}'],
        ],
      ],
      [1, bearer('{{key.1}}')],
    ]);
  }
  const odd = random.pick(ODD_KEYS);
  return random.weighted<Header[]>([
    [3, []],
    [3, bearer(odd)],
    [1, [['Authorization', odd]]],
    [1, [['Authorization', 'Basic YTpi']]],
    [1, [['Authorization', `bearer  {{token.admin}}`]]],
    [1, [...bearer('{{token.viewer}}'), ...bearer('{{token.admin}}')]],
    [2, session],
    [1, [...session, ['X-CSRF-Token', odd]]],
    [1, [...session, ['X-CSRF-Token', '{{csrf}}'], ['Origin', 'https://evil.test']]],
    [1, [['Cookie', `a=b; sluice_session=${odd}; ;;=`]]],
    [1, [['X-Api-Key', '{{key.1}}']]],
  ]);
}

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json; charset=shift_jis',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '',
  ';;;',
  '/',
  '*/*',
  'a/b/c',
  'x'.repeat(500),
  'application/json, text/plain',
  '\u00e9/json',
  '__proto__',
  'application/xml',
];

export function oddHeaders(random: Random): Header[] {
  return random.weighted<() => Header[]>([
    [4, () => [['Content-Type', random.pick(CONTENT_TYPES)]]],
    [
      1,
      () => [
        ['Content-Type', 'application/json'],
        ['Content-Type', 'text/plain'],
      ],
    ],
    [2, () => [['Content-Encoding', random.pick(['gzip', 'br', 'identity', 'x', ''])]]],
    [2, () => [['Expect', random.pick(['100-continue', '100-CONTINUE', 'tea', ''])]]],
    [1, () => [['Connection', random.pick(['close', 'keep-alive', 'upgrade', 'x', 'close, x', ''])]]],
    [
      1,
      () => [
        ['Connection', 'Upgrade'],
        ['Upgrade', random.pick(['websocket', 'h2c', 'x'])],
      ],
    ],
    [
      2,
      () => [
        ['X-Request-Id', random.pick(['', 'x'.repeat(65), '<b>', 'a b', '../..', '\u00e9', 'good.one-1'])],
      ],
    ],
    [
      2,
      () => [
        [
          'Accept-Encoding',
          random.pick(['gzip', 'br', '*', 'gzip;q=0', 'gzip;q=0.000', ';;', ',', 'x'.repeat(2_000)]),
        ],
      ],
    ],
    [1, () => [['If-None-Match', random.pick(['*', 'W/"', '"x"', ',,,', 'W/"0-0-0"', 'x'.repeat(2_000)])]]],
    [1, () => [['Accept', random.pick(['text/html', 'image/*', '', 'application/xml', '*/*;q=0'])]]],
    [1, () => [['Host', random.pick(['', 'a b', 'evil.test', '[::1]:80', 'x'.repeat(1_000), '\u00e9'])]]],
    [
      1,
      () => [
        ['Origin', random.pick(['null', 'https://evil.test', '', 'x', 'http://sluice.test', 'http://['])],
      ],
    ],
    [1, () => [['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', 'none', 'x', ''])]]],
    [
      1,
      () => [
        ['X-Forwarded-For', random.pick(['1.2.3.4', '', 'x'.repeat(1_000), '::1, ::2', '"', 'unknown'])],
      ],
    ],
    [1, () => [['X-HTTP-Method-Override', random.pick(['DELETE', 'GET', 'x'])]]],
    [1, () => [['Range', 'bytes=0-1']]],
    [
      1,
      () => [
        [
          'Cookie',
          random.pick([';', '=', 'a', 'sluice_session=', 'sluice_session={{session}}', 'x=y; '.repeat(500)]),
        ],
      ],
    ],
    [1, () => [['Accept-Version', random.pick(['1.0.0', 'x', ''])]]],
    [
      1,
      () => [
        [
          random.pick(['__proto__', 'constructor', 'X Y', '', 'X\u0000', '\u00e9', ':', 'X-A']),
          random.pick(['1', '', '\u0000', 'a\u0001b', '\u007f']),
        ],
      ],
    ],
    [1, () => [['X-Folded', 'a\r\n b']]],
    [1, () => [['Transfer-Encoding', random.pick(['identity', 'gzip', 'chunked, gzip', 'xchunked', ''])]]],
    [0.5, () => [['X-Large', 'x'.repeat(random.pick([8_000, 20_000]))]]],
    [0.5, () => Array.from({ length: random.pick([50, 1_500, 2_500]) }, (_, at): Header => [`X-${at}`, 'y'])],
  ])();
}
