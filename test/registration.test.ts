// Product registration against a stub channel over real HTTP.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { after, describe, test } from 'node:test';
import { adminToken } from './kit/desk.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, must, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService, type TestService } from '../verify/kit/service.ts';
import { listen } from '../verify/kit/ports.ts';

const service = await startTestService();
const make = fixtures(service);
const admin: TestService['admin'] = (...request) => service.admin(...request);
const { pool } = service.service.services;

interface Option {
  opt_group: string;
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean | number;
}

const option = (power: string, option_code: string, fields: Partial<Option> = {}): Option => ({
  opt_group: 'left',
  power,
  option_code,
  stock: 5,
  hidden: false,
  ...fields,
});
const product = (options: Option[], fields: object = {}) => ({
  found: true,
  goods_name: 'Clear Day',
  is_monthly: 0,
  options,
  ...fields,
});
const bothSides = (options: Option[]) => [
  ...options,
  ...options.map((left) => ({ ...left, opt_group: 'right' })),
];

/** The answers of the stub channel, by product code. */
const answers = new Map<string, unknown>();
const asked: { url: string; key: string | undefined }[] = [];
const shop = createServer((request: IncomingMessage, response) => {
  const url = new URL(request.url ?? '/', 'http://shop');
  asked.push({ url: url.href, key: request.headers['x-api-key']?.toString() });
  const answer = answers.get(url.searchParams.get('usercode') ?? '');
  if (answer === 'rubbish') return void response.end('<html>');
  response.end(JSON.stringify(answer ?? { found: false, message: 'no such goods' }));
});
after(() => shop.close());
const shopUrl = `http://127.0.0.1:${await listen(shop)}/goods?site=1`;

const shopChannel = (fields: object = {}) => make.channel({ api_url: shopUrl, ...fields });
const look = (channel: TestChannel, usercode: string, more: object = {}) =>
  admin('POST', `/channels/${channel.id}/product-info`, { usercode, ...more });
const apply = (channel: TestChannel, usercode: string, more: object = {}) =>
  admin('POST', `/channels/${channel.id}/product-info/apply`, { usercode, ...more });

/** Everything that a registration can change. */
async function catalogue(): Promise<string> {
  const { rows } = await pool.query(
    `select (select json_agg(p order by p.id) from product p) as p, (select json_agg(v order by v.id) from variant v) as v,
            (select json_agg(m order by m.channel_id, m.sku) from mapping m) as m, (select count(*) from audit) as a`,
  );
  return JSON.stringify(rows);
}

/** The ids of products and variants are 32-bit integers. */
const idsUsed = (): Promise<unknown[]> =>
  query(
    service.database.adminUrl,
    `select last_value from product_id_seq union all select last_value from variant_id_seq
     union all select last_value from product_version_id_seq`,
  );

describe('preview', () => {
  test('shows the checked answer of the channel and what applying would do, and changes nothing', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(
      code,
      product(bothSides([option('-1.00', `${code}a`), option('-1.25', `${code}b`, { hidden: 1 })]), {
        is_monthly: 1,
      }),
    );
    const before = await catalogue();
    const shown = await must(look(channel, code), 200);
    const row = (side: string, power: string, letter: string, hidden: boolean) => ({
      option_code: `${code}${letter}`,
      group: side,
      side,
      power,
      stock: 5,
      hidden,
      variant_code: `${code}-${power}`,
      problems: [],
    });
    assert.deepEqual(shown, {
      found: true,
      product_code: code,
      goods_name: 'Clear Day',
      is_set: true,
      groups: ['left', 'right'],
      options: [
        row('left', '-1.00', 'a', false),
        row('left', '-1.25', 'b', true),
        row('right', '-1.00', 'a', false),
        row('right', '-1.25', 'b', true),
      ],
      skus: [
        {
          power: '-1.00',
          option_code: `${code}a`,
          stock: 5,
          hidden: false,
          variant_code: `${code}--1.00`,
        },
        { power: '-1.25', option_code: `${code}b`, stock: 5, hidden: true, variant_code: `${code}--1.25` },
      ],
      errors: [],
      violations: [],
      changes: {
        product: { code, name: 'Clear Day', result: 'created' },
        variants: [{ code: `${code}--1.00`, power: '-1.00', result: 'created' }],
        mappings: [{ sku: `${code}a`, variant_code: `${code}--1.00`, result: 'created' }],
      },
    });
    assert.equal(await catalogue(), before);
    const call = asked.at(-1);
    assert.equal(call?.key, channel.api_key, 'the channel is called with its own key');
    assert.equal(call?.url, `http://shop/goods?site=1&usercode=${code}`);
  });

  test('a product that the channel does not have: found is false, with the reason', async () => {
    const channel = await shopChannel();
    const shown = await must(look(channel, 'nothing'), 200);
    assert.equal(shown.found, false);
    assert.deepEqual([shown.goods_name, shown.skus, shown.changes], [null, [], null]);
    assert.deepEqual([shown.product_code, shown.options, shown.violations], ['nothing', [], []]);
    assert.equal(shown.errors.length, 1);
    assert.match(shown.errors[0], /no such goods/);
  });

  test('options that contradict each other: rows and errors are shown, and nothing can be applied', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    const options = [option('-1.00', 'x1'), option('-1.00', 'x2', { opt_group: 'right' })];
    answers.set(code, product(options, { is_monthly: 1 }));
    const shown = await must(look(channel, code), 200);
    assert.equal(shown.skus.length, 2);
    assert.match(shown.errors[0], /same code/);
    const [{ message, ...facts }] = shown.violations;
    assert.equal(message, shown.errors[0]);
    assert.deepEqual(facts, {
      code: 'code_differs',
      rows: [0, 1],
      details: {
        power: '-1.00',
        option_codes: ['x1', 'x2'],
        groups: [
          { group: options[0]?.opt_group, option_codes: ['x1'] },
          { group: 'right', option_codes: ['x2'] },
        ],
      },
    });
    assert.deepEqual(
      shown.options.map((row: { side: string; problems: string[] }) => [row.side, row.problems]),
      [
        ['left', shown.errors],
        ['right', shown.errors],
      ],
    );
    assert.equal(shown.changes, null);
  });

  test('after a rotation, also one with an overlap, the channel is called with its new key', async () => {
    const channel = await shopChannel();
    for (const overlap_seconds of [600, 0]) {
      const path = `/channels/${channel.id}/rotate-key`;
      const { api_key } = await must(admin('POST', path, { overlap_seconds }), 200);
      await must(look(channel, 'nothing'), 200);
      assert.equal(asked.at(-1)?.key, api_key);
    }
  });

  test('an inactive channel is asked too, because it may still be in preparation', async () => {
    const channel = await shopChannel({ is_active: false });
    const code = unique('G');
    answers.set(code, product([option('-1.00', `${code}a`)]));
    assert.equal((await must(look(channel, code), 200)).found, true);
  });
});

describe('failing requests', () => {
  const refusal = async (answer: ReturnType<typeof look>, status: number): Promise<string> => {
    const { status: got, json, text } = await answer;
    assert.equal(got, status, text);
    assert.deepEqual(Object.keys(json), ['error', 'code', 'details']);
    assert.equal(typeof json.code, 'string');
    return json.error as string;
  };

  test('an unknown channel is 404; a channel without an api_url is 422', async () => {
    for (const id of ['999999', 'abc', '99999999999'])
      await refusal(admin('POST', `/channels/${id}/product-info`, { usercode: 'x' }), 404);
    const channel = await make.channel();
    assert.match(await refusal(look(channel, 'x'), 422), /no api_url/);
    assert.match(await refusal(apply(channel, 'x'), 422), /no api_url/);
  });

  test('a channel that refuses the connection or answers invalid data: a clear message, and nothing changes', async () => {
    const closed = await make.channel({ api_url: 'http://127.0.0.1:9/' });
    const channel = await shopChannel();
    answers.set('rubbish', 'rubbish');
    answers.set('crooked', { found: true, goods_name: 7 });
    const before = await catalogue();
    for (const call of [look, apply]) {
      assert.match(await refusal(call(closed, 'x'), 422), /127\.0\.0\.1:9/);
      assert.match(await refusal(call(channel, 'rubbish'), 422), /not JSON/);
      assert.match(await refusal(call(channel, 'crooked'), 422), /goods_name must be text/);
    }
    assert.equal(await catalogue(), before);
  });

  test('an invalid body is a validation error; a viewer is refused', async () => {
    const channel = await shopChannel();
    for (const [body, field] of [
      [{}, 'usercode'],
      [{ usercode: ' ' }, 'usercode'],
      [{ usercode: 'x'.repeat(101) }, 'usercode'],
      [{ usercode: 'x', option_codes: [] }, 'option_codes'],
      [{ usercode: 'x', option_codes: [7] }, 'option_codes.0'],
    ] as const) {
      const answer = await admin('POST', `/channels/${channel.id}/product-info/apply`, body);
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(Object.keys(answer.json.errors), [field]);
    }
    const token = await adminToken(pool, 'viewer');
    for (const path of ['product-info', 'product-info/apply']) {
      const answer = await admin('POST', `/channels/${channel.id}/${path}`, { usercode: 'x' }, token);
      assert.equal(answer.status, 403);
    }
  });
});

describe('applying', () => {
  test('creates product, variants and mappings without the hidden options, and the channel sees them', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(
      code,
      product([
        option('-1.00', `${code}a`),
        option('-1.25', `${code}b`),
        option('-1.50', `${code}c`, { hidden: true }),
      ]),
    );
    const applied = await must(apply(channel, code), 200);
    assert.deepEqual(applied, {
      product: { code, name: 'Clear Day', result: 'created' },
      variants: [
        { code: `${code}--1.00`, power: '-1.00', result: 'created' },
        { code: `${code}--1.25`, power: '-1.25', result: 'created' },
      ],
      mappings: [
        { sku: `${code}a`, variant_code: `${code}--1.00`, result: 'created' },
        { sku: `${code}b`, variant_code: `${code}--1.25`, result: 'created' },
      ],
    });
    const listed = await must(channel.call('GET', '/inventory'), 200);
    assert.deepEqual(
      listed.map((row: { sku: string; product_code: string }) => [row.sku, row.product_code]),
      [
        [`${code}a`, `${code}--1.00`],
        [`${code}b`, `${code}--1.25`],
      ],
    );
    const [entry, ...others] = await must(admin('GET', `/audit?subject=product:${code}`), 200);
    assert.equal(others.length, 0);
    assert.equal(entry.action, 'product.register');
    assert.equal(entry.before, null);
    assert.equal(entry.after.variants.length, 2);
    assert.equal(JSON.stringify(entry).includes(channel.api_key), false);
  });

  test('applying again changes nothing and writes no audit entry', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(code, product([option('-1.00', `${code}a`)]));
    await must(apply(channel, code), 200);
    const before = await catalogue();
    const idsBefore = await idsUsed();
    const again = await must(apply(channel, code), 200);
    assert.equal(again.product.result, 'unchanged');
    assert.deepEqual(
      [...again.variants, ...again.mappings].map((one: { result: string }) => one.result),
      ['unchanged', 'unchanged'],
    );
    assert.equal(await catalogue(), before);
    assert.deepEqual(await idsUsed(), idsBefore);
  });

  test('a new name, a new option and a moved SKU are updates, as shown in the preview', async () => {
    const channel = await shopChannel();
    const other = await make.variant(null);
    const code = unique('G');
    answers.set(code, product([option('-1.00', `${code}a`)]));
    await must(apply(channel, code), 200);
    await make.map(channel, other, `${code}b`);
    await must(channel.call('GET', '/inventory'), 200); // the list is cached from here on
    answers.set(
      code,
      product([option('-1.00', `${code}a`), option('-2.00', `${code}b`)], { goods_name: 'Clear Night' }),
    );
    const expected = {
      product: { code, name: 'Clear Night', result: 'updated' },
      variants: [
        { code: `${code}--1.00`, power: '-1.00', result: 'unchanged' },
        { code: `${code}--2.00`, power: '-2.00', result: 'created' },
      ],
      mappings: [
        { sku: `${code}a`, variant_code: `${code}--1.00`, result: 'unchanged' },
        { sku: `${code}b`, variant_code: `${code}--2.00`, result: 'updated' },
      ],
    };
    assert.deepEqual((await must(look(channel, code), 200)).changes, expected);
    assert.deepEqual(await must(apply(channel, code), 200), expected);
    const listed = await must(channel.call('GET', '/inventory'), 200);
    assert.deepEqual(
      listed.map((row: { product_name: string }) => row.product_name),
      ['Clear Night', 'Clear Night'],
      'the list has the new name immediately',
    );
    const [entry] = await must(admin('GET', `/audit?subject=product:${code}`), 200);
    assert.deepEqual(entry.before, {
      channel_id: channel.id,
      name: 'Clear Day',
      variants: [],
      mappings: [{ sku: `${code}b`, variant_code: other.code }],
    });
  });

  test('only the named options are applied, also hidden ones; a code that the channel did not send is a validation error', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(code, product([option('-1.00', `${code}a`), option('-1.25', `${code}b`, { hidden: true })]));
    const before = await catalogue();
    const wrong = await apply(channel, code, { option_codes: [`${code}b`, 'zzz'] });
    assert.equal(wrong.status, 422);
    assert.deepEqual(Object.keys(wrong.json.errors), ['option_codes.1']);
    assert.equal(await catalogue(), before);
    const applied = await must(apply(channel, code, { option_codes: [`${code}b`, `${code}b`] }), 200);
    assert.deepEqual(
      applied.mappings.map((mapping: { sku: string }) => mapping.sku),
      [`${code}b`],
    );
  });

  test('if all options are hidden, they must be named', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(code, product([option('-1.00', `${code}a`, { hidden: true })]));
    assert.equal((await must(look(channel, code), 200)).changes, null);
    const answer = await apply(channel, code);
    assert.equal(answer.status, 422);
    assert.match(answer.json.error, /hidden/);
  });

  test('a product without powers has one variant, and no power is stored', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(code, product([option('', `${code}a`, { opt_group: '' })]));
    const applied = await must(apply(channel, code), 200);
    assert.deepEqual(applied.variants, [{ code: `${code}-single`, power: null, result: 'created' }]);
    assert.equal((await must(apply(channel, code), 200)).variants[0].result, 'unchanged');
  });

  test('any error refuses the whole registration: the answer has all errors, the first one in its message', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    answers.set(code, product([option('-1.00', 'same'), option('-1.25', 'same')], { goods_name: ' ' }));
    const before = await catalogue();
    const { errors, violations } = await must(look(channel, code), 200);
    const answer = await apply(channel, code);
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.json, {
      error: `${errors[0]} (and 1 more error)`,
      code: 'option_configuration',
      details: {
        errors,
        violations: violations.map(({ code: what, rows, details }: Record<string, unknown>) => ({
          code: what,
          rows,
          details,
        })),
      },
    });
    const missing = await apply(channel, 'nothing');
    assert.equal(missing.status, 422);
    const { error } = missing.json;
    const { host } = missing.json.details;
    assert.ok(error.startsWith(`${host} has no product "nothing"`), error);
    assert.deepEqual(missing.json, {
      error,
      code: 'product_not_found',
      details: { reason: 'not_found', host, usercode: 'nothing', said: 'no such goods', errors: [error] },
    });
    answers.set(code, product([option('-1.00', 'x')], { goods_name: 'n'.repeat(256) }));
    assert.match((await apply(channel, code)).json.error, /256 characters/);
    const long = await must(look(channel, code), 200);
    assert.deepEqual([long.violations[0].code, long.violations[0].rows], ['name_too_long', []]);
    assert.equal(await catalogue(), before);
  });

  test('a variant code that belongs to another product refuses the whole registration', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    await make.variant(null, { code: `${code}--1.25` });
    answers.set(code, product([option('-1.00', `${code}a`), option('-1.25', `${code}b`)]));
    const before = await catalogue();
    const shown = await must(look(channel, code), 200);
    assert.equal(shown.changes, null);
    assert.match(shown.errors[0], /belongs to another product/);
    assert.deepEqual([shown.violations[0].code, shown.violations[0].rows], ['variant_taken', [1]]);
    assert.deepEqual(shown.options[1].problems, shown.errors);
    const answer = await apply(channel, code);
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.json.details.errors, shown.errors);
    assert.equal(await catalogue(), before);
  });

  test('a variant that was created manually is reused and gets its power', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    const variants = [{ code: `${code}--1.00` }];
    await must(admin('POST', '/products', { code, name: 'By hand', variants }), 201);
    answers.set(code, product([option('-1.00', `${code}a`)]));
    const applied = await must(apply(channel, code), 200);
    assert.deepEqual(applied.product, { code, name: 'Clear Day', result: 'updated' });
    assert.deepEqual(applied.variants, [{ code: `${code}--1.00`, power: '-1.00', result: 'updated' }]);
    const { variants: stored } = await must(admin('GET', `/products/${code}`), 200);
    assert.equal(stored[0].power, '-1.00');
  });

  test('20 concurrent registrations from four channels all succeed, and everything exists once', async () => {
    const channels = await Promise.all([1, 2, 3, 4].map(() => shopChannel()));
    const code = unique('G');
    const options = Array.from({ length: 30 }, (_, n) => option(`-${n}.00`, `${code}-${n}`));
    answers.set(code, product(options));
    const applied = await Promise.all(
      Array.from({ length: 20 }, (_, n) => must(apply(channels[n % 4] as TestChannel, code), 200)),
    );
    const created = applied.filter((one) => one.product.result === 'created');
    assert.equal(created.length, 1);
    const { variants } = await must(admin('GET', `/products/${code}`), 200);
    assert.equal(variants.length, 30);
    for (const channel of channels) {
      const listed = await must(channel.call('GET', '/inventory'), 200);
      assert.equal(listed.length, 30);
    }
    assert.equal((await must(admin('GET', `/audit?subject=product:${code}`), 200)).length, 4);
  });
});

describe('a dry run', () => {
  const plan = (channel: TestChannel, code: string, more: object = {}) =>
    apply(channel, code, { dry_run: true, ...more });

  test('returns the plan for exactly the named options, and changes nothing', async () => {
    const channel = await shopChannel();
    const other = await make.variant(null);
    const code = unique('G');
    await must(
      admin('POST', '/products', { code, name: 'By hand', variants: [{ code: `${code}--1.00` }] }),
      201,
    );
    await make.map(channel, other, `${code}b`);
    const options = [
      option('-1.00', `${code}a`),
      option('-2.00', `${code}b`),
      option('-3.00', `${code}c`, { hidden: true }),
    ];
    answers.set(code, product(options));
    const before = await catalogue();
    assert.deepEqual(await must(plan(channel, code), 200), {
      product: { code, name: 'Clear Day', action: 'rename', before_name: 'By hand' },
      variants: [
        { code: `${code}--1.00`, power: '-1.00', action: 'update', before_power: null },
        { code: `${code}--2.00`, power: '-2.00', action: 'create', before_power: null },
      ],
      mappings: [
        { sku: `${code}a`, variant_code: `${code}--1.00`, action: 'create', before: null },
        { sku: `${code}b`, variant_code: `${code}--2.00`, action: 'replace', before: other.code },
      ],
    });
    const hidden = await must(plan(channel, code, { option_codes: [`${code}c`] }), 200);
    assert.deepEqual(hidden.mappings, [
      { sku: `${code}c`, variant_code: `${code}--3.00`, action: 'create', before: null },
    ]);
    assert.equal(hidden.variants.length, 1);
    assert.equal(await catalogue(), before);

    const picked = { option_codes: [`${code}a`, `${code}c`] };
    await must(apply(channel, code, { ...picked, dry_run: false }), 200);
    const settled = await must(plan(channel, code, picked), 200);
    assert.deepEqual(
      [settled.product, ...settled.variants, ...settled.mappings].map((one) => one.action),
      ['keep', 'keep', 'keep', 'keep', 'keep'],
    );
    assert.deepEqual(
      [settled.product.before_name, settled.variants[0].before_power, settled.mappings[0].before],
      ['Clear Day', '-1.00', `${code}--1.00`],
    );
  });

  test('is refused with the same errors as applying', async () => {
    const channel = await shopChannel();
    const code = unique('G');
    await make.variant(null, { code: `${code}--1.25` });
    answers.set(code, product([option('-1.00', `${code}a`), option('-1.25', `${code}b`)]));
    const crooked = unique('G');
    answers.set(crooked, product([option('-1.00', 'x'), option('-1.00', 'y')]));
    const concealed = unique('G');
    answers.set(concealed, product([option('-1.00', 'x', { hidden: true })]));
    answers.set('rubbish', 'rubbish');
    const before = await catalogue();
    for (const [usercode, more] of [
      [code, {}],
      [crooked, {}],
      [concealed, {}],
      ['nothing', {}],
      ['rubbish', {}],
      [code, { option_codes: ['zzz'] }],
    ] as const) {
      const [planned, applied] = [await plan(channel, usercode, more), await apply(channel, usercode, more)];
      assert.equal(planned.status, 422, planned.text);
      assert.deepEqual(planned.json, applied.json);
    }
    const wrong = await plan(channel, code, { dry_run: 'yes' });
    assert.deepEqual(Object.keys(wrong.json.errors), ['dry_run']);
    assert.equal(await catalogue(), before);
  });
});
