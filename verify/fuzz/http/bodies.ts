// Bodies: a good value, changed in a few places, written as JSON by hand, then changed as bytes.
import { gzipSync } from 'node:zlib';
import { PROTOTYPE_NAMES, Raw, Twice, oddValue } from './values.ts';
import type { Random } from '../../kit/random.ts';

/** As JSON.stringify, but for what it could not write. */
export function written(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).flatMap(([key, inner]) => {
      const name = JSON.stringify(key);
      return inner instanceof Twice
        ? [`${name}:${written(inner.first)}`, `${name}:${written(inner.second)}`]
        : [`${name}:${written(inner)}`];
    });
    return `{${entries.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

type Container = Record<string, unknown>;

/** A copy with one odd place: a value replaced, gone, doubled, wrapped, or one too many. */
export function oddlyChanged(value: unknown, random: Random): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    value instanceof Raw ||
    value instanceof Twice ||
    random.chance(0.1)
  )
    return oddValue(random);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Container;
  const keys = Object.keys(copy);
  const key = keys.length === 0 ? 'x' : random.pick(keys);
  const isDeep = typeof copy[key] === 'object' && copy[key] !== null;
  if (isDeep && random.chance(0.6)) {
    copy[key] = oddlyChanged(copy[key], random);
    return copy;
  }
  return random.weighted<() => unknown>([
    [6, () => Object.assign(copy, { [key]: oddValue(random) })],
    [2, () => without(copy, key)],
    [
      2,
      () =>
        Array.isArray(copy) ? copy : Object.assign(copy, { [key]: new Twice(copy[key], oddValue(random)) }),
    ],
    [1, () => Object.assign(copy, { [key]: [copy[key]] })],
    [1, () => Object.assign(copy, { [key]: written(copy[key]) })],
    [2, () => extended(copy, random)],
  ])();
}

const without = (from: Container, key: string): unknown =>
  Array.isArray(from)
    ? (from as unknown[]).slice(1)
    : Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));

/** Through entries: an assignment to `__proto__` would not make a key of that name. */
function extended(from: Container, random: Random): unknown {
  const odd = oddValue(random);
  if (Array.isArray(from)) return [...(from as unknown[]), odd];
  const name = random.pick([...PROTOTYPE_NAMES, 'x'.repeat(3_000), '\u0000', 'a.b', 'é']);
  return Object.fromEntries([...Object.entries(from), [name, odd]]);
}

const BROKEN_BYTES = [
  [0xff],
  [0xfe, 0xff],
  [0xc0, 0x80],
  [0xc0, 0xaf],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xf0, 0x82, 0x82, 0xac],
  [0x80],
  [0xc3],
  [0x00],
  [0xe2, 0x82],
].map((bytes) => Buffer.from(bytes));

const BODY_BYTES_MAX = 1024 * 1024;

/** The bytes, wrongly encoded, cut, swollen or followed by something. */
export function oddlyEncoded(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length + 1);
  const inserted = (piece: Buffer): Buffer => Buffer.concat([body.subarray(0, at), piece, body.subarray(at)]);
  return random.weighted<() => Buffer>([
    [6, () => inserted(random.pick(BROKEN_BYTES))],
    [2, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    [2, () => Buffer.from(body.toString(), 'utf16le')],
    [1, () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body.toString(), 'utf16le')])],
    [3, () => body.subarray(0, at)],
    [2, () => Buffer.concat([body, Buffer.from(random.pick(['{}', ']', 'x', '\0', '\n\n', ',', '//']))])],
    [1, () => Buffer.from(body.toString('latin1'), 'utf8')],
    [1, () => gzipSync(body)],
    [
      1,
      () =>
        Buffer.from(
          random.pick(['a=b&c=d', '<xml/>', '--x\r\n\r\n', '\r\n', ' ', '', 'null', '[]', '"x"', '0']),
        ),
    ],
    [
      0.2,
      () => Buffer.concat([body, Buffer.alloc(BODY_BYTES_MAX + random.pick([-body.length, 1, 5_000]), ' ')]),
    ],
    [0.05, () => Buffer.from('['.repeat(BODY_BYTES_MAX))],
  ])();
}
