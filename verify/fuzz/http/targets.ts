// Request targets: the path of an operation with its parameters, and what can be wrong with one.
import type { Operation } from './document.ts';
import type { Random } from '../../kit/random.ts';
import { goodValue } from './values.ts';

export function targetOf({ path, parameters }: Operation, random: Random): string {
  const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encoded(parameterText(goodValue(schemas.get(name) ?? { type: 'string' }, nameIn(path, name), random))),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.chance(0.4))
    .map(({ name, schema }) => `${name}=${encoded(parameterText(goodValue(schema, name, random)))}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

const parameterText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value);

/** A code in a path is a product's or a courier's, which the schema does not tell. */
function nameIn(path: string, name: string): string {
  if (path.includes('/channels/{id}')) return name === 'id' ? 'channel_id' : name;
  if (path.includes('/products/{code}')) return 'product_code';
  return name;
}

function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

const ODD_SEGMENTS = [
  '%',
  '%f',
  '%zz',
  '%ff',
  '%c3',
  '%c0%80',
  '%C0%AE%C0%AE',
  '%ED%A0%80',
  '%F5%80%80%80',
  '%u0041',
  '%E0%A4%A',
  '%00',
  'a%00b',
  '%2e%2e',
  '..',
  '.',
  '',
  '%2F',
  '%252F',
  '%5c',
  '%23',
  '%3f',
  '%0d%0aX:%20y',
  '%0a',
  '%20',
  '+',
  '%EF%BB%BF',
  '%F0%9F%98%80',
  '__proto__',
  'constructor',
  '0',
  '-1',
  '1e3',
  '1.0',
  '01',
  '2147483648',
  '9007199254740993',
  '99999999999999999999',
  ':id',
  '*',
  '{id}',
  'a;b=c',
  'é',
  '\u00ff\u00fe',
  '\u0001',
  ' ',
  '\t',
  '"',
  '<',
  '`',
  '|',
  '^',
  '\\',
  "'",
  'x'.repeat(101),
  'x'.repeat(3_000),
  '%41'.repeat(1_500),
  'x'.repeat(17_000),
  '😀'.repeat(3),
];
const WHOLE = [
  '/',
  '*',
  '',
  '//',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/admin/v1',
  '/api/v2/inventory',
  '//api/v1/inventory',
  '/api/v1/../v1/inventory',
  '/healthz',
  '/readyz',
  '/docs',
  '/api/v1/openapi.json',
  '/admin/v1/openapi.json',
  '/console',
  '/console/',
  '/console/../src/main.ts',
  '/console/%2e%2e/%2e%2e/package.json',
  '/console/..%2f..%2fpackage.json',
  '/console/assets/%00',
  '/console/assets/x.js',
  '/%',
  '/%00',
  'http://sluice.test/api/v1/inventory',
  'https://[::1]/x',
  'http://',
  'api/v1/inventory',
  '?',
  '#',
  '/?/../',
  '/api/v1/inventory#x',
  '\\',
  'sluice.test:80',
  '/api/v1/inventory\u0000',
  '/.git/config',
  '/api/v1/inventory?'.padEnd(15_000, 'x'),
];
const ODD_QUERIES = [
  '?',
  '?&&&',
  '?=',
  '?a',
  '?%',
  '?%ff',
  '?a=%00',
  '?a[]=1&__proto__[x]=1',
  '?__proto__=1&constructor=2',
  '?limit=1&limit=2',
  '?limit=',
  '?limit=0',
  '?limit=501',
  '?limit=1e2',
  '?limit=0x10',
  '?limit=%20',
  '?limit=99999999999999999999',
  '?cursor=',
  '?cursor=%00',
  '?search=%00',
  '?search=%ed%a0%80',
  '?below=-2147483649',
  '?below=1e400',
  '?status=0&status=1',
  '?status=1,2,3,x',
  '?status=%00',
  '?channel_id=2147483648',
  '?channel_id=1.0',
  '?channel_id=-0',
  '?hours=1e9',
  '?hours=-1',
  '?from=%00',
  '?from=2026-11-15T09:30:00+09:00',
  '?to=9999-12-31T23:59:59Z',
  '?order_number=%00',
  '?order_number=%EF%BF%BE',
  '?actor=%00',
  '?subject=%00',
  '?action=%00',
  '?actor=x&action=y',
  `?${'x'.repeat(10_000)}`,
  `?${Array.from({ length: 500 }, (_, at) => `p${at}=1`).join('&')}`,
  `?${Array.from({ length: 1_500 }, () => 'limit=1').join('&')}`,
  `?limit=${'9'.repeat(400)}`,
];

export function oddTarget(target: string, random: Random): string {
  const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
  return random.weighted<() => string>([
    [6, () => latin1(withSegment(target, random.pick(ODD_SEGMENTS), random))],
    [4, () => (target.split('?')[0] ?? '') + random.pick(ODD_QUERIES)],
    [2, () => latin1(random.pick(WHOLE))],
    [
      1,
      () =>
        random.pick([
          `${target}/`,
          target.toUpperCase(),
          target.replaceAll('/', '//'),
          `${target};x=y`,
          `/.${target}`,
        ]),
    ],
    [1, () => target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ])();
}

/** Behind the prefix more often than in it. */
function withSegment(target: string, odd: string, random: Random): string {
  const segments = target.split('/');
  const at = Math.min(
    segments.length - 1,
    random.weighted([
      [1, random.between(1, 2)],
      [8, random.between(3, segments.length - 1)],
    ]),
  );
  segments[at] = odd;
  return segments.join('/');
}
