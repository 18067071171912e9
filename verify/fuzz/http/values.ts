// Values for requests: valid ones from schemas and field names, and odd ones.
import fc from 'fast-check';
import type { Schema } from '../../../src/platform/docs/document.ts';
import { between, listOf, oneOf, weighted, words, type Arbitrary } from '../arbitrary.ts';

/** Fixed names, so that a request can be replayed in another run; fixtures.ts creates them. */
export const NAMES = {
  channels: ['1', '2', '3'],
  variants: ['FZ-0', 'FZ-1', 'FZ-2', 'FZ-3', 'FZ 4', 'FZ/5', 'FZ%6', 'FZ-렌즈', 'FZ"8', '__proto__'],
  products: ['FZ', '상품', 'constructor'],
  skus: ['S-0', 'S-1', 'S-2', 'S-3', 'S 4', 'S/5', 'S%6', 'S-렌즈', 'S"8', '__proto__'],
  group: 'DELIVERY_COMPANY',
  couriers: ['CJ', '우체국', 'constructor'],
  usercodes: ['G-1', 'G-2', 'G-3', 'G-4'],
} as const;

/** JSON text that no JavaScript value represents: numbers as written, escapes, or invalid JSON. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A duplicate key. */
export class Twice {
  readonly first: unknown;
  readonly second: unknown;
  constructor(first: unknown, second: unknown) {
    this.first = first;
    this.second = second;
  }
}

const raw = (...texts: readonly string[]): Arbitrary<Raw> => oneOf(...texts).map((text) => new Raw(text));
const nested = (open: string, close: string, ...depths: number[]): Arbitrary<Raw> =>
  raw(...depths.map((depth) => open.repeat(depth) + close.repeat(depth)));

const NUMBERS = words(
  '0 -1 1.0 1e0 1E+2 0.1 -0 -0.0 2147483647 2147483648 -2147483648 -2147483649 4294967296 9007199254740993 -9007199254740993 ' +
    '9223372036854775807 9223372036854775808 18446744073709551616 1000000000000000000000 0.30000000000000004 123456789012345.67 ' +
    '1e15 999999999999999 1e308 5e-324 1e400 -1e400 1e-400',
);
const NO_JSON = [...words("NaN Infinity 01 +1 .5 1. 0x10 'x' undefined 1,"), '', '"\n"', '"\\x41"'];
const ESCAPES = words(
  String.raw`"\ud800" "\udc00\ud800" "a\u0000b" "\u0000" "\ufeff" "\uffff" "\u202e" "\/\b\f\n\r\t"`,
);
const TEXTS = [
  ...words(
    'null true 0 1 %00 ${x} {{x}} =1+1 __proto__ constructor toString hasOwnProperty ../../etc/passwd İ ß',
  ),

  '',
  ' ',
  '\t\r\n',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\u007f',
  'e\u0301',
  'a\u0001b\u001b[0m',
  ...[100, 101, 256, 5_000].map((length) => 'x'.repeat(length)),
  '😀'.repeat(100),
  '😀'.repeat(501),
  '﷽'.repeat(30),
  "' or 1=1 --",
  '<script>alert(1)</script>',
];
export const PROTOTYPE_NAMES = [
  ...words('__proto__ constructor prototype toString hasOwnProperty valueOf __defineGetter__ length 0'),
  '',
];

/** Any value except the expected one. */
export const oddValue: Arbitrary = weighted<unknown>(
  [5, raw(...NUMBERS)],
  [4, oneOf(...TEXTS)],
  [4, raw(...ESCAPES)],
  [3, oneOf<unknown>(null, true, false, [], {}, [[]], [{}], [null], { length: 1 }, 0, 1, -1)],
  [1, raw(...NO_JSON)],
  [1, fc.tuple(oneOf(...PROTOTYPE_NAMES), oneOf(...TEXTS)).map((entry) => Object.fromEntries([entry]))],
  [1, fc.oneof(nested('[', '', 10, 100, 5_000), nested('{"a":', '', 10, 100, 5_000))],
  [1, nested('[', ']', 10, 200, 20_000)],
  [
    1,
    fc
      .tuple(oneOf(2, 201, 1_001), oneOf<unknown>(null, {}, 'x', 1))
      .map(([length, item]) => Array.from({ length }, () => item)),
  ],
);

/** Of each channel. In every second lot, these of the second and the third channel are prefixes of the channels. */
export const NUMBER_BEGINNINGS = ['F-', 'F2-', 'F3-'] as const;

/** Some numbers repeat; most are new, however long a run is. */
const orderNumber = fc
  .tuple(
    weighted([60, fc.constant('F-')], [30, fc.constant('F2-')], [10, oneOf(...NUMBER_BEGINNINGS)]),
    fc.oneof(fc.nat(299), fc.nat(2_999), fc.nat(999_999)),
  )
  .map(([beginning, n]) => `${beginning}${n}`);
const moment = oneOf(
  ...words(
    '2026-11-15 2026-11-15T09:30:00+09:00 2099-12-31T23:59:59Z 1970-01-01T00:00:00Z 2026-02-29 9999-12-31',
  ),
  ...words('0001-01-01 2026-11-15T09:30:00 2026-11-15T24:00:00Z 275760-09-13'),
);
const cursor = oneOf(
  ...words(
    '1 0 -1 1e3 2147483648 9007199254740991 -9007199254740991 "FZ-1" "" null [1,2] [] {} {"__proto__":1} 0.5',
  ),
  ...words(String.raw`"\u0000" "\ud800" ["2026-11-15T00:00:00Z",5] [1,"x"] "x","y"`),
  `"${'x'.repeat(3_000)}"`,
).map((text) => Buffer.from(text).toString('base64url'));
const CSV = [
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
];

/** Valid values by field or parameter name, where the schema is not specific enough. */
const BY_NAME: Record<string, Arbitrary> = {
  sku: oneOf(...NAMES.skus),
  variant_code: oneOf(...NAMES.variants),
  orderNumber,
  order_number: orderNumber,
  order_number_prefix: oneOf(...words('F F2 F2- F2-1 F3-x Q- N-'), ' '),
  id: fc.oneof(between(1, 3), between(1, 50), between(1, 3_000)),
  channel_id: oneOf(...NAMES.channels.map(Number)),
  group: oneOf<string>(NAMES.group, NAMES.group, 'OTHER', '__proto__'),
  courier_code: oneOf(...NAMES.couriers),
  email: fc.nat(19).map((n) => `fuzz${n}@example.com`),
  password: oneOf('not the password', 'correct horse battery'),
  current_password: fc.constant('not the password'),
  new_password: oneOf('correct horse battery', 'short', '😀'.repeat(12)),
  currency_code: oneOf(...words('JPY USD EUR KRW XXX jpy')),
  country_code: oneOf(...words('KR JP US ZZ kr'), ''),
  api_url: oneOf(
    ...words('{{stub}} {{stub}}?a=b http://127.0.0.1:1/x http://[::1]:1/ ftp://127.0.0.1/ http://'),
  ),
  rate: oneOf<unknown>(9.5, -1, ...words('9.4512 1e5 0 999999999.999999999999 1.0000000000001 x'), ''),
  effective_at: moment,
  from: moment,
  to: moment,
  cursor,
  usercode: oneOf(...NAMES.usercodes),
  option_codes: oneOf(['S-0'], ['A1', 'A2'], ['A1', 'A1'], ['\u0000']),
  csv: oneOf(...CSV),
  search: oneOf(...words("FZ % _ \\ 렌즈 '"), ' ', '\u0000', 'x'.repeat(200), 'x'.repeat(201)),
  subject: oneOf('variant:FZ-0', 'channel:1', '\u0000', ''),
  actor: oneOf('environment', 'channel:1', '\u0000', ''),
  action: oneOf(...words('stock stock.set channel. %'), '\u0000', ''),
  quantity: weighted<number>([8, between(1, 3)], [1, oneOf(1_000_000)], [1, oneOf(2_147_483_647)]),
  delta: between(-5, 500),
  allocated_qty: fc.nat(50),
  reserve_quota: fc.nat(50),
  unit_price: oneOf(0, 1, 9.99, 22_500, 999_999_999_999_999, 0.000001),
};
const NEW_NAMES = new Set(['code', 'name']);

/** A value that the schema allows, often at a limit. */
export function goodValue(schema: Schema, name: string): Arbitrary {
  const types = [schema.type ?? []].flat();
  const value = notNull(schema, name, types);
  return types.includes('null') ? weighted([85, value], [15, fc.constant(null)]) : value;
}

function notNull(schema: Schema, name: string, types: readonly string[]): Arbitrary {
  if (schema.enum) return oneOf(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => goodValue(one, name)));
  const bySchema = goodBySchema(schema, name, types);
  const byName = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  return byName ? weighted([90, byName], [10, bySchema]) : bySchema;
}

function goodBySchema(schema: Schema, name: string, types: readonly string[]): Arbitrary {
  if (types.includes('object')) return goodObject(schema);
  if (types.includes('array')) {
    const [item, least] = [goodValue(schema.items ?? {}, name), schema.minItems ?? 0];
    return weighted([9, listOf(item, least, least + 2)], [1, listOf(item, least, least + 39)]);
  }
  if (types.includes('integer')) return goodInteger(schema);
  if (types.includes('number')) return oneOf(0, 1, 0.5, 22_500);
  if (types.includes('boolean')) return fc.boolean();
  if (types.includes('string')) return goodText(schema, name);
  return oneOf<unknown>(1, 'x', null, true);
}

/** Optional fields are present in two of five cases. */
function goodObject({ properties = {}, required = [] }: Schema): Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, schema]): Arbitrary<[string, unknown][]> => {
    const field = goodValue(schema, name).map((value): [string, unknown][] => [[name, value]]);
    return required.includes(name) ? field : weighted([6, fc.constant([])], [4, field]);
  });
  return fc.tuple(...fields).map((all) => Object.fromEntries(all.flat()));
}

function goodInteger({ minimum = 0, maximum = 2 ** 31 - 1 }: Schema): Arbitrary<number> {
  const near = between(minimum, Math.min(minimum + 49, maximum));
  return weighted([6, near], [1, fc.constant(minimum)], [1, fc.constant(maximum)]);
}

function goodText({ minLength = 0, maxLength = 200 }: Schema, name: string): Arbitrary<string> {
  const unit = oneOf('x', 'é', '렌', '😀', 'a b', "'", '"', '\\', '%', '\u0301x', '\u202ex');
  const length = weighted(
    [6, between(minLength, Math.min(maxLength, minLength + 19))],
    [1, fc.constant(minLength)],
    [1, fc.constant(Math.min(maxLength, 1_000))],
  );
  const text = fc
    .tuple(unit, length)
    .map(([one, count]) => Array.from(one.repeat(count)).slice(0, count).join(''));
  const code = fc.nat(1_999).map((n) => `N-${n}`);
  return NEW_NAMES.has(name) ? weighted([8, code], [2, text]) : text;
}
