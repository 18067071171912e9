// Request targets: the path of an operation with its parameters, and malformed paths.
import fc from 'fast-check';
import type { ApiOperation } from './document.ts';
import { changing, oneOf, weighted, words, type Arbitrary } from '../arbitrary.ts';
import { goodValue } from './values.ts';

export function targetOf({ path, parameters }: ApiOperation): Arbitrary<string> {
  const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
  const parts = path.split(/\{(\w+)\}/).map((part, place): Arbitrary<string> => {
    if (place % 2 === 0) return fc.constant(part);
    return goodValue(schemas.get(part) ?? { type: 'string' }, nameIn(path, part)).map(encoded);
  });
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }): Arbitrary<string[]> => {
      // Longer waits test nothing more and are slow.
      const values = name === 'wait' ? oneOf(0, 1) : goodValue(schema, name);
      const query = values.map((value) => [`${name}=${encoded(value)}`]);
      return weighted([6, fc.constant([])], [4, query]);
    });
  return fc.tuple(fc.tuple(...parts), fc.tuple(...queries)).map(([filled, query]) => {
    const text = query.flat().join('&');
    return filled.join('') + (text === '' ? '' : `?${text}`);
  });
}

/** A `code` in a path may be that of a product or of a courier; the schema does not say which. */
function nameIn(path: string, name: string): string {
  if (path.includes('/channels/{id}')) return name === 'id' ? 'channel_id' : name;
  if (path.includes('/products/{code}')) return 'product_code';
  return name;
}

function encoded(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(',') : String(value);
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

const ODD_SEGMENTS = [
  ...words(`
    % %f %zz %ff %c3 %c0%80 %C0%AE%C0%AE %ED%A0%80 %F5%80%80%80 %u0041 %E0%A4%A %00 a%00b %2e%2e .. . %2F %252F %5c
    %23 %3f %0d%0aX:%20y %0a %20 + %EF%BB%BF %F0%9F%98%80 __proto__ constructor 0 -1 1e3 1.0 01 2147483648
    9007199254740993 99999999999999999999 :id * {id} a;b=c é " < \` | ^ \\ ' \u00ff\u00fe \u0001
  `),

  '',
  ' ',
  '\t',
  'x'.repeat(101),
  'x'.repeat(3_000),
  '%41'.repeat(1_500),
  'x'.repeat(17_000),
  '😀'.repeat(3),
];
const WHOLE = [
  ...words(`
    / * // /api /api/v1 /api/v1/ /admin/v1 /api/v2/inventory //api/v1/inventory /api/v1/../v1/inventory /healthz
    /readyz /docs /api/v1/openapi.json /admin/v1/openapi.json /console /console/ /console/../src/start/main.ts
    /console/%2e%2e/%2e%2e/package.json /console/..%2f..%2fpackage.json /console/assets/%00 /console/assets/x.js /%
    /%00 http://sluice.test/api/v1/inventory https://[::1]/x http:// api/v1/inventory ? # /?/../ \\
    /api/v1/inventory#x sluice.test:80 /api/v1/inventory\u0000 /.git/config
  `),
  '',
  '/api/v1/inventory?'.padEnd(15_000, 'x'),
];
const ODD_QUERIES = [
  ...words(`
    ? ?&&& ?= ?a ?% ?%ff ?a=%00 ?a[]=1&__proto__[x]=1 ?__proto__=1&constructor=2 ?limit=1&limit=2 ?limit= ?limit=0
    ?limit=501 ?limit=1e2 ?limit=0x10 ?limit=%20 ?limit=99999999999999999999 ?cursor= ?cursor=%00 ?search=%00
    ?search=%ed%a0%80 ?below=-2147483649 ?below=1e400 ?status=0&status=1 ?status=1,2,3,x ?status=%00
    ?channel_id=2147483648 ?channel_id=1.0 ?channel_id=-0 ?hours=1e9 ?hours=-1 ?from=%00 ?order_number=%00
    ?from=2026-11-15T09:30:00+09:00 ?to=9999-12-31T23:59:59Z ?order_number=%EF%BF%BE ?actor=%00 ?subject=%00
    ?action=%00 ?actor=x&action=y
  `),
  `?${'x'.repeat(10_000)}`,
  `?${Array.from({ length: 500 }, (_, at) => `p${at}=1`).join('&')}`,
  `?${Array.from({ length: 1_500 }, () => 'limit=1').join('&')}`,
  `?limit=${'9'.repeat(400)}`,
];

type Change = (target: string) => string;

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

/** After the prefix more often than within it. */
const place = weighted([1, fc.nat(1)], [8, fc.integer({ min: 2, max: 9 })]);

export const oddTarget: Arbitrary<Change> = weighted<Change>(
  [
    6,
    changing(fc.tuple(oneOf(...ODD_SEGMENTS), place), (target, [odd, at]) => {
      const [first = '', ...segments] = target.split('/');
      const last = Math.max(0, segments.length - 1);
      const behind = Math.max(0, last - 1);
      segments[at < 2 ? Math.min(at, last) : Math.min(last, 2 + ((at - 2) % behind || 0))] = odd;
      return latin1([first, ...segments].join('/'));
    }),
  ],
  [4, changing(oneOf(...ODD_QUERIES), (target, query) => (target.split('?')[0] ?? '') + query)],
  [2, changing(oneOf(...WHOLE), (_, whole) => latin1(whole))],
  [
    2,
    oneOf<Change>(
      (target) => target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      (target) => `${target}/`,
      (target) => target.toUpperCase(),
      (target) => target.replaceAll('/', '//'),
      (target) => `${target};x=y`,
      (target) => `/.${target}`,
    ),
  ],
);
