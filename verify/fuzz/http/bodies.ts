// Bodies: a valid value, changed in a few places, serialized by our own writer, then changed as bytes.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { changing, oneOf, weighted, words, type Arbitrary } from '../arbitrary.ts';
import { oddValue, PROTOTYPE_NAMES, Raw, Twice } from './values.ts';

/** Like JSON.stringify, but also writes values that JSON.stringify cannot. */
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

/** One mutation of a value: replaced, removed, duplicated, wrapped or added. */
interface Oddity {
  how: 'replaced' | 'gone' | 'twice' | 'wrapped' | 'as_text' | 'added';
  odd: unknown;
  /** The name of an added key. */
  name: string;
  /** Which key to choose on each level; the whole value is replaced if there are no keys. */
  path: number[];
}

export const anyOddity: Arbitrary<Oddity> = fc.record({
  how: weighted<Oddity['how']>(
    [6, fc.constant('replaced')],
    [2, fc.constant('gone')],
    [2, fc.constant('twice')],
    [1, fc.constant('wrapped')],
    [1, fc.constant('as_text')],
    [2, fc.constant('added')],
  ),
  odd: oddValue,
  name: oneOf(...PROTOTYPE_NAMES, 'x'.repeat(3_000), '\u0000', 'a.b', 'é'),
  path: weighted(
    [1, fc.constant([])],
    [4, fc.array(fc.nat(99), { minLength: 1, maxLength: 1 })],
    [5, fc.array(fc.nat(99), { minLength: 2, maxLength: 4, size: 'max' })],
  ),
});

export function oddlyChanged(value: unknown, { path, ...oddity }: Oddity): unknown {
  const [choice, ...deeper] = path;
  const isLeaf =
    typeof value !== 'object' || value === null || value instanceof Raw || value instanceof Twice;
  if (choice === undefined || isLeaf) return oddity.odd;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Container;
  const keys = Object.keys(copy);
  const key = keys[choice % keys.length] ?? 'x';
  if (deeper.length > 0 && typeof copy[key] === 'object' && copy[key] !== null)
    return Object.assign(copy, { [key]: oddlyChanged(copy[key], { ...oddity, path: deeper }) });
  const { how, odd, name } = oddity;
  switch (how) {
    case 'replaced':
      return Object.assign(copy, { [key]: odd });
    case 'gone':
      return Array.isArray(copy)
        ? (copy as unknown[]).slice(1)
        : Object.fromEntries(Object.entries(copy).filter(([one]) => one !== key));
    case 'twice':
      return Array.isArray(copy) ? copy : Object.assign(copy, { [key]: new Twice(copy[key], odd) });
    case 'wrapped':
      return Object.assign(copy, { [key]: [copy[key]] });
    case 'as_text':
      return Object.assign(copy, { [key]: written(copy[key]) });
    case 'added':
      if (Array.isArray(copy)) return [...(copy as unknown[]), odd];
      // Through entries: an assignment to `__proto__` would not create a key with that name.
      return Object.fromEntries([...Object.entries(copy), [name, odd]]);
  }
}

const BROKEN_BYTES = words('ff feff c080 c0af e080af eda080 f5808080 f08282ac 80 c3 00 e282').map((hex) =>
  Buffer.from(hex, 'hex'),
);
const BODY_BYTES_MAX = 1024 * 1024;

type Encoding = (body: Buffer) => Buffer;

const at = (share: number, body: Buffer): number => Math.floor((share / 100) * body.length);
const same = (encoding: Encoding): Arbitrary<Encoding> => fc.constant(encoding);
const utf16 = (body: Buffer): Buffer => Buffer.from(body.toString(), 'utf16le');

/** The bytes with a wrong encoding, truncated, inflated, or followed by other bytes. */
export const oddEncoding: Arbitrary<Encoding> = weighted(
  [
    120,
    changing(fc.tuple(oneOf(...BROKEN_BYTES), fc.nat(100)), (body: Buffer, [piece, share]) =>
      Buffer.concat([body.subarray(0, at(share, body)), piece, body.subarray(at(share, body))]),
    ),
  ],
  [40, same((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]))],
  [40, same(utf16)],
  [20, same((body) => Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(body)]))],
  [60, changing(fc.nat(100), (body, share) => body.subarray(0, at(share, body)))],
  [
    40,
    changing(oneOf(...words('{} ] x , //'), '\0', '\n\n'), (body, text) =>
      Buffer.concat([body, Buffer.from(text)]),
    ),
  ],
  [20, same((body) => Buffer.from(body.toString('latin1'), 'utf8'))],
  [20, same((body) => gzipSync(body))],
  [
    20,
    changing(oneOf(...words('a=b&c=d <xml/> null [] "x" 0'), '--x\r\n\r\n', '\r\n', ' ', ''), (_, text) =>
      Buffer.from(text),
    ),
  ],
  [
    4,
    changing(oneOf(0, 1, 5_000), (body, more) =>
      Buffer.concat([body, Buffer.alloc(BODY_BYTES_MAX + (more || -body.length), ' ')]),
    ),
  ],
  [1, same(() => Buffer.from('['.repeat(BODY_BYTES_MAX)))],
);
