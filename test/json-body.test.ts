// Parsing of bodies: exact numbers, and the CPU time that adversarial JSON can cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyError, isExactNumber, numberText, parseJsonBody } from '../src/platform/schema/json-body.ts';

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));
const MIB = 1024 * 1024;

test('a number keeps its exact value: as a float if the float is equal, otherwise as text', () => {
  const literal = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.option(fc.stringMatching(/^\d{1,25}$/)),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 400 }))),
    )
    .map(([sign, whole, fraction, power]) =>
      [sign, String(whole), fraction === null ? '' : `.${fraction}`, ...(power ?? [])].join(''),
    );
  fc.assert(
    fc.property(literal, fc.boolean(), (text, isPadded) => {
      const padding = isPadded ? ' '.repeat(20_000) : '';
      const { n } = parse(`{"n":${padding}${text}, "s":"${text}\\"${text}", "f":1.5}`) as { n: number };
      const read = isExactNumber(n) ? numberText(n) : String(n);
      assert.equal(sameValue(read, text), true, `${text} became ${read}`);
    }),
  );
});

/** Compares decimal texts without floats. */
function sameValue(a: string, b: string): boolean {
  const scaled = (text: string): bigint => {
    const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    return BigInt(whole + fraction) * 10n ** BigInt(1_000 - fraction.length + Number(power));
  };
  return scaled(a) === scaled(b);
}

test('no body can forge an exact number object', () => {
  const exact = (parse('{"n":33.333333333333333333}') as { n: unknown }).n;
  assert.equal(isExactNumber(exact), true);
  for (const made of ['"33.333333333333333333"', '{"exact":"1"}', '["1"]', '{}', 'null'])
    assert.equal(isExactNumber((parse(`{"n":${made}}`) as { n: unknown }).n), false, made);
  assert.equal(typeof parse('33.333333333333333333'), 'number');
});

test('a byte order mark is ignored, and a body with nothing else is empty', () => {
  assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 });
  for (const text of ['', '\ufeff']) assert.throws(() => parse(text), new BodyError({ kind: 'body_empty' }));
  assert.throws(() => parse('\ufeff\ufeff{}'), BodyError);
});

test('1 MiB of adversarial JSON is parsed in less than 200 ms of CPU time', () => {
  const list = (element: string): string =>
    `{"x":[${element.repeat(Math.floor((MIB - 20) / element.length))}0]}`;
  const bodies: Record<string, string> = {
    exponents: list('1e5,'),
    'large exponents': list('1e200,'),
    'extreme exponents': list('1e999,'),
    '15 digits': list('123456789012345,'),
    '17 digits': list('33.333333333333336,'),
    '18 digits': list('33.3333333333333333,'),
    'one long number': `{"x":${'1'.repeat(MIB - 20)}}`,
    'zeros in front': `{"x":0.${'0'.repeat(MIB - 20)}1}`,
    'zeros behind': `{"x":1.${'0'.repeat(MIB - 20)}}`,
    'long exponent': `{"x":1e${'9'.repeat(MIB - 20)}}`,
    points: `{"x":${'1.'.repeat(MIB / 2 - 10)}}`,
    'exponent marks': `{"x":${'1e'.repeat(MIB / 2 - 10)}}`,
    'deep lists': `{"n":1e1,"a":${'['.repeat(MIB / 2 - 10)}${']'.repeat(MIB / 2 - 10)}}`,
    'deep objects': `${'{"a":'.repeat(150_000)}1e1${'}'.repeat(150_000)}`,
    'one key': `{"n":1e1,${'"a":1,'.repeat(170_000)}"b":1}`,
    escapes: `{"n":1e1,"a":"${'\\u0041'.repeat(170_000)}"}`,
    backslashes: `{"n":1e1,"a":"${'\\\\'.repeat(500_000)}"}`,
    quotes: `{"n":1e1,"a":${'"'.repeat(MIB - 20)}}`,
  };
  // Measures CPU time, and repeats a slow measurement, so that other processes and garbage collections do not count.
  // An earlier implementation took seconds.
  for (const [name, text] of Object.entries(bodies)) {
    const body = Buffer.from(text);
    let ms = Infinity;
    for (let round = 0; round < 5 && ms >= 200; round++) {
      const start = process.threadCpuUsage();
      try {
        parseJsonBody(body);
      } catch (error) {
        assert.ok(error instanceof BodyError);
      }
      const { user, system } = process.threadCpuUsage(start);
      ms = (user + system) / 1_000;
    }
    assert.ok(ms < 200, `${name}: ${ms} ms`);
  }
});
