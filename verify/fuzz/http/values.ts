// Values for requests: good ones, from a schema and from what the names of fields say, and odd ones.
import type { Schema } from '../../../src/http/docs/openapi.ts';
import type { Random } from '../../kit/random.ts';

/** Known beforehand, so that a request can be made again in another run; see world.ts, which sets it up. */
export const NAMES = {
  channels: ['1', '2', '3'],
  variants: ['FZ-0', 'FZ-1', 'FZ-2', 'FZ-3', 'FZ 4', 'FZ/5', 'FZ%6', 'FZ-렌즈', 'FZ"8', '__proto__'],
  products: ['FZ', '상품', 'constructor'],
  skus: ['S-0', 'S-1', 'S-2', 'S-3', 'S 4', 'S/5', 'S%6', 'S-렌즈', 'S"8', '__proto__'],
  group: 'DELIVERY_COMPANY',
  couriers: ['CJ', '우체국', 'constructor'],
  usercodes: ['G-1', 'G-2', 'G-3', 'G-4'],
} as const;

/** JSON that no value stands for: numbers as written, escapes, or no JSON at all. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A key that is there twice. */
export class Twice {
  readonly first: unknown;
  readonly second: unknown;
  constructor(first: unknown, second: unknown) {
    this.first = first;
    this.second = second;
  }
}

const nested = (open: string, close: string, depth: number): Raw =>
  new Raw(open.repeat(depth) + close.repeat(depth));

const NUMBERS = [
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '-9007199254740993',
  '-0',
  '-0.0',
  '0.1',
  '1.0',
  '1e0',
  '1E+2',
  '2147483647',
  '2147483648',
  '-2147483648',
  '-2147483649',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '0.30000000000000004',
  '123456789012345.67',
  '1e15',
  '999999999999999',
  '1e308',
  '5e-324',
  '4294967296',
  '-1',
  '0',
  '1000000000000000000000',
].map((text) => new Raw(text));
const NO_JSON = [
  'NaN',
  'Infinity',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  "'x'",
  '',
  'undefined',
  '"\n"',
  '"\\x41"',
  '1,',
].map((text) => new Raw(text));
const ESCAPES = [
  String.raw`"\ud800"`,
  String.raw`"\udc00\ud800"`,
  String.raw`"a\u0000b"`,
  String.raw`"\u0000"`,
  String.raw`"\ufeff"`,
  String.raw`"\uffff"`,
  String.raw`"\u202e"`,
  String.raw`"\/\b\f\n\r\t"`,
].map((text) => new Raw(text));
const TEXTS = [
  '',
  ' ',
  '\t\r\n',
  'x'.repeat(100),
  'x'.repeat(101),
  'x'.repeat(256),
  'x'.repeat(5_000),
  '😀'.repeat(100),
  '😀'.repeat(501),
  '\u00a0',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\ufffd',
  'e\u0301',
  '﷽'.repeat(30),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'true',
  '0',
  '1',
  "' or 1=1 --",
  '${x}',
  '{{x}}',
  '%00',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '=1+1',
  'a\u0001b\u001b[0m',
  '\u007f',
  'İ',
  'ß',
];
export const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'length',
  '',
  '0',
];

/** Anything but what was asked for. */
export function oddValue(random: Random): unknown {
  return random.weighted<() => unknown>([
    [5, () => random.pick(NUMBERS)],
    [4, () => random.pick(TEXTS)],
    [4, () => random.pick(ESCAPES)],
    [3, () => random.pick([null, true, false, [], {}, [[]], [{}], [null], { length: 1 }, 0, 1, -1])],
    [1, () => random.pick(NO_JSON)],
    [1, () => Object.fromEntries([[random.pick(PROTOTYPE_NAMES), random.pick(TEXTS)]])],
    [1, () => nested(random.pick(['[', '{"a":']), '', random.pick([10, 100, 5_000]))],
    [1, () => nested('[', ']', random.pick([10, 200, 20_000]))],
    [1, () => Array.from({ length: random.pick([2, 201, 1_001]) }, () => random.pick([null, {}, 'x', 1]))],
  ])();
}

const pickText =
  (...texts: readonly string[]) =>
  (random: Random) =>
    random.pick(texts);
/** Some come again and again; most are new however long a run is. */
const orderNumber = (random: Random): string => `F-${random.below(random.pick([300, 3_000, 1_000_000]))}`;
const code = (random: Random): string => `N-${random.below(2_000)}`;
const moment = pickText(
  '2026-11-15',
  '2026-11-15T09:30:00+09:00',
  '2099-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  '2026-02-29',
  '9999-12-31',
  '0001-01-01',
  '2026-11-15T09:30:00',
  '2026-11-15T24:00:00Z',
  '275760-09-13',
);
const cursor = (random: Random): string =>
  Buffer.from(
    random.pick([
      '1',
      '0',
      '-1',
      '1e3',
      '2147483648',
      '9007199254740991',
      '-9007199254740991',
      '"FZ-1"',
      String.raw`"\u0000"`,
      String.raw`"\ud800"`,
      '""',
      'null',
      '[1,2]',
      '[]',
      '{}',
      '{"__proto__":1}',
      '["2026-11-15T00:00:00Z",5]',
      '[1,"x"]',
      '"x","y"',
      '0.5',
      `"${'x'.repeat(3_000)}"`,
    ]),
  ).toString('base64url');

/** Good values by the name of the field or parameter, where the schema alone does not say. */
const BY_NAME: Record<string, (random: Random) => unknown> = {
  sku: (random) => random.pick(NAMES.skus),
  variant_code: (random) => random.pick(NAMES.variants),
  orderNumber,
  order_number: orderNumber,
  id: (random) => random.between(1, random.pick([3, 50, 3_000])),
  channel_id: (random) => Number(random.pick(NAMES.channels)),
  group: (random) => random.pick([NAMES.group, NAMES.group, 'OTHER', '__proto__']),
  courier_code: (random) => random.pick(NAMES.couriers),
  email: (random) => `fuzz${random.below(20)}@example.com`,
  password: pickText('not the password', 'correct horse battery'),
  current_password: pickText('not the password'),
  new_password: pickText('correct horse battery', 'short', '😀'.repeat(12)),
  currency_code: pickText('JPY', 'USD', 'EUR', 'KRW', 'XXX', 'jpy'),
  country_code: pickText('KR', 'JP', 'US', 'ZZ', 'kr', ''),
  api_url: pickText(
    '{{stub}}',
    '{{stub}}?a=b',
    'http://127.0.0.1:1/x',
    'http://[::1]:1/',
    'ftp://127.0.0.1/',
    'http://',
  ),
  rate: (random) =>
    random.pick(['9.4512', 9.5, '1e5', '0', -1, '999999999.999999999999', '1.0000000000001', 'x', '']),
  effective_at: moment,
  from: moment,
  to: moment,
  cursor,
  usercode: (random) => random.pick(NAMES.usercodes),
  option_codes: (random) => random.pick([['S-0'], ['A1', 'A2'], ['A1', 'A1'], ['\u0000']]),
  csv: (random) =>
    random.pick([
      'sku,variant_code\nS-0,FZ-0\n',
      'sku,variant_code\r\n"S 4","FZ 4"\r\n',
      'sku,variant_code\nS-0\n',
      'x,y\n1,2\n',
      '',
      'sku,variant_code\n"S-0,FZ-0\n',
      '\ufeffsku,variant_code\nS-0,FZ-0',
      'sku,variant_code\nS-\u0000,FZ-0\n',
      `sku,variant_code\n${'S-0,FZ-0\n'.repeat(300)}`,
      'variant_code,sku\nFZ-0,S-0\n',
      'sku;variant_code\nS-0;FZ-0\n',
    ]),
  search: pickText('FZ', '%', '_', '\\', '렌즈', "'", ' ', '\u0000', 'x'.repeat(200), 'x'.repeat(201)),
  subject: pickText('variant:FZ-0', 'channel:1', '\u0000', ''),
  actor: pickText('environment', 'channel:1', '\u0000', ''),
  action: pickText('stock', 'stock.set', 'channel.', '%', '\u0000', ''),
  quantity: (random) =>
    random.weighted([
      [8, random.between(1, 3)],
      [1, 1_000_000],
      [1, 2_147_483_647],
    ]),
  delta: (random) => random.between(-5, 500),
  allocated_qty: (random) => random.between(0, 50),
  reserve_quota: (random) => random.between(0, 50),
  unit_price: (random) => random.pick([0, 1, 9.99, 22_500, 999_999_999_999_999, 0.000001]),
};
const NEW_NAMES = new Set(['code', 'name']);

/** What the schema asks for; often at the edge of what it allows. */
export function goodValue(schema: Schema, name: string, random: Random): unknown {
  const types = [schema.type ?? []].flat();
  if (types.includes('null') && random.chance(0.15)) return null;
  if (schema.enum) return random.pick(schema.enum);
  if (schema.anyOf) return goodValue(random.pick(schema.anyOf), name, random);
  const named = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (named && random.chance(0.9)) return named(random);
  if (types.includes('object')) return goodObject(schema, random);
  if (types.includes('array')) {
    const least = schema.minItems ?? 0;
    const length = random.weighted([
      [9, least + random.below(3)],
      [1, least + random.below(40)],
    ]);
    return Array.from({ length }, () => goodValue(schema.items ?? {}, name, random));
  }
  if (types.includes('integer')) return goodInteger(schema, random);
  if (types.includes('number')) return random.pick([0, 1, 0.5, 22_500]);
  if (types.includes('boolean')) return random.chance(0.5);
  if (types.includes('string')) return goodText(schema, name, random);
  return random.pick([1, 'x', null, true]);
}

function goodObject({ properties = {}, required = [] }: Schema, random: Random): object {
  const present = Object.entries(properties).filter(
    ([name]) => required.includes(name) || random.chance(0.4),
  );
  return Object.fromEntries(present.map(([name, schema]) => [name, goodValue(schema, name, random)]));
}

function goodInteger({ minimum = 0, maximum = 2 ** 31 - 1 }: Schema, random: Random): number {
  return random.weighted([
    [6, minimum + random.below(Math.min(50, maximum - minimum + 1))],
    [1, minimum],
    [1, maximum],
  ]);
}

function goodText({ minLength = 0, maxLength = 200 }: Schema, name: string, random: Random): string {
  if (NEW_NAMES.has(name) && random.chance(0.8)) return code(random);
  const unit = random.pick(['x', 'é', '렌', '😀', 'a b', "'", '"', '\\', '%', '\u0301x', '\u202ex']);
  const length = random.weighted([
    [6, Math.min(maxLength, minLength + random.below(20))],
    [1, minLength],
    [1, Math.min(maxLength, 1_000)],
  ]);
  return Array.from(unit.repeat(length)).slice(0, length).join('');
}
