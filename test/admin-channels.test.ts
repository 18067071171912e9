import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedApiUrl } from '../src/core/channels/api-url.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages, token } = desk(service);

const KEY = /^sluice_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('creating a channel returns its key, with the fields in the documented order, and the key works immediately', async () => {
  const made = await must(
    admin('POST', '/channels', {
      name: 'Tokyo',
      country_code: 'jp',
      api_url: 'https://shop.example/info?a=1',
    }),
    201,
  );
  assert.deepEqual(Object.keys(made), [
    'id',
    'name',
    'country_code',
    'currency_code',
    'api_url',
    'is_active',
    'api_key',
    'created_at',
    'key_last_used_at',
    'previous_key_valid_until',
    'previous_key_last_used_at',
    'rate_limit',
    'signing',
    'order_number_prefix',
    'allowed_addresses',
    'prepayment_expiry_minutes',
    'trace_until',
    'archived',
  ]);
  assert.equal(made.country_code, 'JP');
  assert.equal(made.currency_code, 'JPY');
  assert.equal(made.is_active, true);
  assert.match(made.api_key, KEY);
  assert.match(made.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  assert.equal((await service.channel(made.api_key)('GET', '/inventory')).status, 200);
});

test('allowed_addresses: set, cleared by an empty list or null, and audited; each invalid address is named', async () => {
  const wanted = ['203.0.113.7', '2001:db8::/32'];
  const made = await must(admin('POST', '/channels', { name: 'a', allowed_addresses: wanted }), 201);
  assert.deepEqual(made.allowed_addresses, wanted);
  const path = `/channels/${made.id}`;
  const after = async (body: object) => (await must(admin('PATCH', path, body), 200)).allowed_addresses;
  assert.deepEqual(await after({ name: 'b' }), wanted, 'a field that is absent is kept');
  assert.deepEqual(await after({ allowed_addresses: [' 10.0.0.0/8 '] }), ['10.0.0.0/8']);
  assert.deepEqual(await after({ allowed_addresses: [] }), []);
  assert.deepEqual(await after({ allowed_addresses: wanted }), wanted);
  assert.deepEqual(await after({ allowed_addresses: null }), []);
  const wrong = ['10.0.0.1', '10.0.0.0/33', 'example.com', '', '0177.1', '::/129'];
  assert.deepEqual(
    await fieldsRefused(admin('PATCH', path, { allowed_addresses: wrong })),
    [1, 2, 3, 4, 5].map((at) => `allowed_addresses.${at}`),
  );
  for (const allowed_addresses of ['10.0.0.1', [7], Array.from({ length: 101 }, () => '10.0.0.1')])
    assert.equal((await refusal(admin('PATCH', path, { allowed_addresses }), 422)).code, 'validation');
  const trail = await audits(`channel:${made.id}`);
  assert.partialDeepStrictEqual(trail[0]?.after, { allowed_addresses: wanted });
});

test('the key is shown only once: neither later responses nor the audit log contain it', async () => {
  const channel = await make.channel({ api_url: 'https://shop.example/?token=hush' });
  const shown = await must(admin('GET', `/channels/${channel.id}`), 200);
  assert.equal('api_key' in shown, false);
  assert.equal(shown.api_url, 'https://shop.example/?token=hush');
  await must(admin('POST', `/channels/${channel.id}/rotate-key`), 200);
  const list = await pages('/channels', 500);
  assert.ok(list.every((row) => !('api_key' in row)));
  const trail = JSON.stringify(await audits(`channel:${channel.id}`));
  assert.doesNotMatch(trail, /sluice_|hush/);
});

test('a channel without a country or with KR has the currency KRW', async () => {
  const unset = await must(admin('POST', '/channels', { name: 'a', country_code: null, api_url: null }), 201);
  assert.deepEqual([unset.country_code, unset.currency_code, unset.api_url], [null, 'KRW', null]);
  const korea = await must(admin('POST', '/channels', { name: 'b', country_code: 'KR' }), 201);
  assert.equal(korea.currency_code, 'KRW');
});

test('an invalid channel is refused with an error for each invalid field', async () => {
  const post = (body: unknown) => fieldsRefused(admin('POST', '/channels', body));
  assert.deepEqual(await post({}), ['name']);
  assert.deepEqual(await post({ name: '  ' }), ['name']);
  assert.deepEqual(await post({ name: 'x'.repeat(101) }), ['name']);
  assert.deepEqual(await post({ name: 'a\0b' }), ['name']);
  assert.deepEqual(await post({ name: 'a', is_active: 1 }), ['is_active']);
  for (const country_code of ['XX', 'ß', 'JPN', '', 'ıt', 7])
    assert.deepEqual(await post({ name: 'a', country_code }), ['country_code']);
  for (const api_url of ['ftp://a.example', 'shop', 'https://u:p@a.example/', 'https://a b/', ''])
    assert.deepEqual(await post({ name: 'a', api_url }), ['api_url']);
  assert.deepEqual(await post({ name: 'a', country_code: 'ZZ', api_url: 'no' }), ['country_code', 'api_url']);
  assert.deepEqual(await post('[]'), ['body']);
});

test('contract 10.13: a prefix of order numbers can be set, changed and cleared, is refused when blank, and is audited', async () => {
  const made = await must(admin('POST', '/channels', { name: 'a', order_number_prefix: 'A-' }), 201);
  assert.equal(made.order_number_prefix, 'A-');
  const path = `/channels/${made.id}`;
  const prefixAfter = async (body: object) =>
    (await must(admin('PATCH', path, body), 200)).order_number_prefix;
  assert.equal(await prefixAfter({ name: 'b' }), 'A-');
  assert.equal(await prefixAfter({ order_number_prefix: '東京-' }), '東京-');
  assert.equal(await prefixAfter({ order_number_prefix: null }), null);
  for (const order_number_prefix of ['', ' ', 'a\0', 7, 'x'.repeat(51)])
    assert.deepEqual(await fieldsRefused(admin('PATCH', path, { order_number_prefix })), [
      'order_number_prefix',
    ]);
  const trail = await audits(`channel:${made.id}`);
  assert.partialDeepStrictEqual(trail[0]?.after, { order_number_prefix: 'A-' });
});

test('contract 10.13: a prefix belongs to one channel: equal ones, beginnings and continuations are 409', async () => {
  const owner = await make.channel({ name: 'Owner', order_number_prefix: 'BUS-' });
  const path = (id: number) => `/channels/${id}`;
  const other = await make.channel();
  for (const order_number_prefix of ['BUS-', 'BUS-2', 'BU', 'B']) {
    const tries = [
      admin('POST', '/channels', { name: 'x', order_number_prefix }),
      admin('PATCH', path(other.id), { order_number_prefix }),
    ];
    for (const answer of tries) {
      const { code, details } = await refusal(answer, 409);
      assert.deepEqual(
        [code, details],
        [
          'order_number_prefix_taken',
          { order_number_prefix, channel_id: owner.id, name: 'Owner', taken_prefix: 'BUS-' },
        ],
      );
    }
  }
  for (const order_number_prefix of ['bus-', 'BUT-'])
    await must(admin('PATCH', path(other.id), { order_number_prefix }), 200);
  await must(admin('PATCH', path(owner.id), { order_number_prefix: 'BUS-2' }), 200);
  await must(admin('PATCH', path(owner.id), { order_number_prefix: 'BUS-' }), 200);

  // An inactive channel keeps its prefix, an archived one leaves it to others until it returns.
  await must(admin('PATCH', path(owner.id), { is_active: false }), 200);
  await refusal(admin('PATCH', path(other.id), { order_number_prefix: 'BUS-' }), 409);
  await must(admin('PATCH', path(owner.id), { archived: true }), 200);
  await must(admin('PATCH', path(other.id), { order_number_prefix: 'BUS-' }), 200);
  await refusal(admin('PATCH', path(owner.id), { archived: false }), 409);
  await must(admin('PATCH', path(owner.id), { archived: false, order_number_prefix: 'NEW-' }), 200);
});

test('contract 10.13: of channels that want overlapping prefixes at the same moment, one gets it', async () => {
  const channels = await Promise.all(Array.from({ length: 4 }, () => make.channel()));
  const wanted = ['RACE', 'RACE-', 'RACE-1', 'RACE'];
  const answers = await Promise.all([
    ...channels.map(({ id }, at) => admin('PATCH', `/channels/${id}`, { order_number_prefix: wanted[at] })),
    ...wanted.map((order_number_prefix) => admin('POST', '/channels', { name: 'r', order_number_prefix })),
  ]);
  const statuses = answers.map(({ status }) => (status === 201 ? 200 : status)).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 409)]);
});

test('contract 10.13: overlapping prefixes from before the rule stay until they change, and other fields can change', async () => {
  const [first, second] = [await make.channel(), await make.channel()];
  const { pool } = service.service.services;
  for (const { id } of [first, second])
    await pool.query('update channel set order_number_prefix = $2 where id = $1', [id, 'TWIN-']);
  service.service.services.directory.invalidate();
  const path = `/channels/${first.id}`;
  const name = 'Twin';
  await must(admin('PATCH', path, { name, order_number_prefix: 'TWIN-', is_active: true }), 200);
  await refusal(admin('PATCH', path, { order_number_prefix: 'TWIN-1' }), 409);
  const variant = await make.variant(10);
  for (const channel of [first, second]) {
    const sku = await make.map(channel, variant);
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: unique('TWIN-') });
    await must(channel.call('POST', '/orders', order), 201);
  }
});

test('PATCH changes the given fields, clears a field with null, and keeps the others', async () => {
  const { id } = await make.channel({ country_code: 'JP', api_url: 'https://shop.example/', name: 'before' });
  const renamed = await must(admin('PATCH', `/channels/${id}`, { name: 'after', is_active: null }), 200);
  assert.deepEqual(
    [renamed.name, renamed.country_code, renamed.api_url, renamed.is_active],
    ['after', 'JP', 'https://shop.example/', true],
  );
  const cleared = await must(admin('PATCH', `/channels/${id}`, { country_code: null, api_url: null }), 200);
  assert.deepEqual(
    [cleared.name, cleared.country_code, cleared.currency_code, cleared.api_url],
    ['after', null, 'KRW', null],
  );
  assert.deepEqual(await must(admin('GET', `/channels/${id}`), 200), cleared);
  for (const name of [' ', null])
    assert.deepEqual(await fieldsRefused(admin('PATCH', `/channels/${id}`, { name })), ['name']);
  assert.deepEqual(await fieldsRefused(admin('PATCH', `/channels/${id}`, { country_code: 'QQ' })), [
    'country_code',
  ]);

  const [, first, second] = await audits(`channel:${id}`);
  assert.equal(first?.action, 'channel.update');
  assert.equal(first?.actor, 'environment');
  assert.partialDeepStrictEqual(first?.before, { name: 'before' });
  assert.partialDeepStrictEqual(first?.after, { name: 'after' });
  assert.partialDeepStrictEqual(second?.after, { country_code: null });
});

test('a deactivated channel is refused immediately, and accepted again when it is activated', async () => {
  const { id, call } = await make.channel();
  await must(admin('PATCH', `/channels/${id}`, { is_active: false }), 200);
  assert.equal((await call('GET', '/inventory')).status, 401);
  await must(admin('PATCH', `/channels/${id}`, { is_active: true }), 200);
  assert.equal((await call('GET', '/inventory')).status, 200);
});

test('key rotation: the new key works, the old one is refused immediately', async () => {
  const { id, call, api_key } = await make.channel();
  const rotated = await must(admin('POST', `/channels/${id}/rotate-key`), 200);
  assert.match(rotated.api_key, KEY);
  assert.notEqual(rotated.api_key, api_key);
  assert.equal((await call('GET', '/inventory')).status, 401);
  assert.equal((await service.channel(rotated.api_key)('GET', '/inventory')).status, 200);
  const trail = await audits(`channel:${id}`);
  assert.deepEqual(
    trail.map((entry) => entry.action),
    ['channel.create', 'channel.rotate_key'],
  );
  assert.equal(trail[1]?.after, null);
});

test('key rotation needs no body: an empty body is accepted, an unknown field is refused', async () => {
  const { id } = await make.channel();
  await must(admin('POST', `/channels/${id}/rotate-key`, ''), 200);
  await fieldsRefused(admin('POST', `/channels/${id}/rotate-key`, { some: 'thing' }));
});

test('an invalid or unknown id is not found', async () => {
  for (const id of [
    '0',
    '-1',
    '1.5',
    'abc',
    '2147483648',
    '99999999999999999999',
    '1e3',
    '%20',
    '2147483647',
  ]) {
    for (const [method, path, body] of [
      ['GET', `/channels/${id}`, undefined],
      ['PATCH', `/channels/${id}`, { name: 'x' }],
      ['POST', `/channels/${id}/rotate-key`, undefined],
      ['GET', `/channels/${id}/mappings`, undefined],
      ['PUT', `/channels/${id}/mappings`, { mappings: [] }],
      ['DELETE', `/channels/${id}/mappings/x`, undefined],
      ['GET', `/channels/${id}/allocations`, undefined],
      ['PUT', `/channels/${id}/allocations/x`, { allocated_qty: 0, reserve_quota: 0 }],
    ] as const)
      await refusal(admin(method, path, body), 404);
  }
});

test('the list contains every channel once, in pages of any size', async () => {
  for (let n = 0; n < 5; n++) await make.channel();
  const all = await pages('/channels', 500);
  const inSmallPages = await pages('/channels', 2);
  assert.deepEqual(inSmallPages, all);
  assert.equal(new Set(all.map((row) => row.id)).size, all.length);
  const wrong = ['x', Buffer.from('"text"').toString('base64url'), Buffer.from('1.5').toString('base64url')];
  for (const cursor of wrong)
    assert.deepEqual(await fieldsRefused(admin('GET', `/channels?cursor=${cursor}`)), ['cursor']);
  for (const beyond of ['99999999999', '-99999999999'])
    await must(admin('GET', `/channels?cursor=${Buffer.from(beyond).toString('base64url')}`), 200);
  for (const limit of ['0', '501', 'x', ''])
    assert.deepEqual(await fieldsRefused(admin('GET', `/channels?limit=${limit}`)), ['limit']);
});

test('secrets in api_url: viewers get them masked, operators in full, and a masked URL is never saved', async () => {
  const api_url = 'https://shop.example.com/info?token=topsecret#frag';
  const { id } = await make.channel({ api_url });
  const viewer = await token('viewer');
  const masked = 'https://shop.example.com/info?…';
  const seenBy = async (credentials: string) => {
    const one = await must(admin('GET', `/channels/${id}`, undefined, credentials), 200);
    const list = await must(admin('GET', '/channels?limit=500', undefined, credentials), 200);
    return [one.api_url, list.find((channel: { id: number }) => channel.id === id).api_url];
  };
  assert.deepEqual(await seenBy(viewer), [masked, masked]);
  assert.deepEqual(await seenBy(await token('operator')), [api_url, api_url]);
  for (const path of [
    `/channels/${id}`,
    '/channels?limit=500',
    `/channels/${id}/checklist`,
    '/audit?limit=500',
  ])
    assert.ok(!(await admin('GET', path, undefined, viewer)).text.includes('topsecret'), path);
  assert.deepEqual(await fieldsRefused(admin('PATCH', `/channels/${id}`, { api_url: masked })), ['api_url']);
  assert.deepEqual(await seenBy(await token('admin')), [api_url, api_url]);
  assert.equal(maskedApiUrl('https://user:pw@h.example/p'), 'https://…@h.example/p');
  assert.equal(maskedApiUrl('https://h.example/a@b'), 'https://h.example/a@b');
});

test('an archived channel is inactive and not listed, keeps its orders, and is inactive when restored', async () => {
  const { channel, variant, sku } = await make.setting(9);
  const path = `/channels/${channel.id}`;
  const order = await must(
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    201,
  );
  const ids = async (query = '') => (await pages(`/channels${query}`, 500)).map(({ id }) => id as number);
  assert.equal((await must(admin('GET', path), 200)).archived, false);
  await make.allocate(channel, variant, 2);
  const held = await refusal(admin('PATCH', path, { archived: true }), 409);
  assert.deepEqual(
    [held.code, held.details],
    ['channel_holds_stock', { channel_id: channel.id, variant_count: 1, allocated_qty: 2 }],
  );
  await make.allocate(channel, variant, 0);

  const archived = await must(admin('PATCH', path, { archived: true }), 200);
  assert.deepEqual([archived.archived, archived.is_active], [true, false]);
  assert.equal((await channel.call('GET', '/inventory')).status, 401);
  assert.ok(!(await ids()).includes(channel.id));
  assert.ok(!(await ids('?archived=false')).includes(channel.id));
  assert.deepEqual(await ids('?archived=true'), [channel.id]);
  assert.equal((await must(admin('GET', path), 200)).archived, true);
  assert.equal((await must(admin('GET', `/orders/${order.id}`), 200)).channel_id, channel.id);
  await must(admin('POST', `/orders/${order.id}/status`, { status: 3, tracking_number: 'T' }), 200);
  const named = (await must(admin('GET', '/overview?hours=3'), 200)).channels;
  assert.ok(
    named.some(({ id }: { id: number }) => id === channel.id),
    'the overview names a channel with orders in these hours',
  );

  assert.equal((await refusal(admin('PATCH', path, { is_active: true }), 409)).code, 'channel_archived');
  await refusal(admin('PATCH', path, { archived: true, is_active: true }), 409);
  await must(admin('PATCH', path, { name: 'still archived' }), 200);
  assert.deepEqual(await ids('?archived=true'), [channel.id]);
  const back = await must(admin('PATCH', path, { archived: false }), 200);
  assert.deepEqual([back.archived, back.is_active], [false, false]);
  await must(admin('PATCH', path, { archived: null, is_active: true }), 200);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  assert.ok((await ids()).includes(channel.id));
  const trail = JSON.stringify((await audits(`channel:${channel.id}`)).map(({ after: state }) => state));
  assert.match(trail, /"archived":true.*"archived":false/);
});

/** Operations that would give something to a channel. */
const GIFTS: Record<string, (to: Gift) => ReturnType<typeof admin>> = {
  'a pre-allocation': ({ id, code }) => allocate(id, code, { allocated_qty: 1, reserve_quota: 0 }),
  'a quota': ({ id, code }) => allocate(id, code, { allocated_qty: 0, reserve_quota: 1 }),
  'many allocations': ({ id, code }) =>
    admin('PUT', '/allocations', {
      changes: [{ channel_id: id, variant_code: code, allocated_qty: 1, reserve_quota: 0 }],
    }),
  'a transfer': ({ id, code, giver }) =>
    admin('POST', '/allocations/transfers', {
      variant_code: code,
      from_channel_id: giver,
      to_channel_id: id,
      quantity: 1,
    }),
  'a file of allocations': ({ id, code }) =>
    admin('POST', '/allocations/import', {
      csv: `channel_id,variant_code,allocated_qty,reserve_quota\n${id},${code},1,0\n`,
    }),
  mappings: ({ id, code }) =>
    admin('PUT', `/channels/${id}/mappings`, { mappings: [{ sku: 'GIFT', variant_code: code }] }),
  'a file of mappings': ({ id, code }) =>
    admin('POST', `/channels/${id}/mappings/import`, { csv: `sku,variant_code\nGIFT,${code}\n` }),
  'a file of open orders': ({ id, code }) =>
    admin('POST', '/orders/import', {
      csv: `${ORDERS}\n${id},GIFT,1,${AT},Kim,010,Seoul,GIFT,${code},1,1\n`,
    }),
  'a key': ({ id }) => admin('POST', `/channels/${id}/rotate-key`, {}),
  'a signing secret': ({ id }) => admin('POST', `/channels/${id}/signing-secrets`, {}),
  activity: ({ id }) => admin('PATCH', `/channels/${id}`, { is_active: true }),
};
interface Gift {
  id: number;
  code: string;
  giver: number;
}
const ORDERS =
  'channel_id,order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,variant_code,quantity,local_unit_price';
const AT = '2026-01-01T00:00:00+09:00';
const allocate = (id: number, code: string, granted: object) =>
  admin('PUT', `/channels/${id}/allocations/${code}`, granted);

test('an archived channel gets nothing, by any operation, and everything once it is back', async () => {
  const { channel, variant } = await make.setting(9);
  const giver = await make.channel();
  await make.allocate(giver, variant, 5);
  const to = { id: channel.id, code: variant.code, giver: giver.id };
  const holdings = async () =>
    JSON.stringify(await must(admin('GET', `/stock/${variant.code}`), 200)) +
    JSON.stringify(await must(admin('GET', `/channels/${channel.id}`), 200));
  await must(admin('PATCH', `/channels/${channel.id}`, { archived: true }), 200);
  const before = await holdings();
  for (const [name, give] of Object.entries(GIFTS)) {
    const answer = await give(to);
    assert.ok([409, 422].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
    assert.match(answer.text, /"channel_archived"/, name);
    assert.equal(await holdings(), before, name);
  }
  // What is over may be recorded, and taken from it.
  const final = `${ORDERS}\n${channel.id},OVER,3,${AT},Kim,010,Seoul,OVER,${variant.code},1,1\n`;
  await must(admin('POST', '/orders/import', { csv: final }), 200);
  await must(allocate(channel.id, variant.code, { allocated_qty: 0, reserve_quota: 0 }), 200);
  await must(admin('PATCH', `/channels/${channel.id}`, { archived: false }), 200);
  for (const [name, give] of Object.entries(GIFTS)) {
    const { status, text } = await give(to);
    assert.ok(status === 200 || status === 201, `${name}: ${text}`);
  }
});

test('a channel is archived and given something at the same moment: it never holds stock while it is archived', async () => {
  const { variant } = await make.setting(100);
  const giver = await make.channel();
  await make.allocate(giver, variant, 50);
  const names = ['a pre-allocation', 'many allocations', 'a transfer', 'a file of allocations', 'mappings'];
  const outcomes = new Set<string>();
  for (const name of names)
    for (let round = 0; round < 4; round++) {
      const { id } = await make.channel();
      const give = GIFTS[name]!;
      // The channel row is locked until both wait for it, in either order.
      const held = await openTransaction(
        service.database.url,
        `select from channel where id = ${id} for update`,
      );
      const race = [
        () => give({ id, code: variant.code, giver: giver.id }),
        () => admin('PATCH', `/channels/${id}`, { archived: true }),
      ];
      const first = (round % 2 === 0 ? race : race.toReversed()).map(async (start, turn) => {
        if (turn === 1) await untilWaiting(service.database.url, 1);
        return start();
      });
      await untilWaiting(service.database.url, 2);
      await held.end();
      const answers = await Promise.all(first);
      const given = answers[round % 2 === 0 ? 0 : 1]!;
      const { archived } = await must(admin('GET', `/channels/${id}`), 200);
      const level = await must(admin('GET', `/stock/${variant.code}`), 200);
      const share = level.channels.find((one: any) => one.channel_id === id);
      assert.ok(!archived || (share?.allocated_qty ?? 0) === 0, `${name} in round ${round}: ${given.text}`);
      outcomes.add(`${given.status < 300} ${archived}`);
      if (!archived) await must(allocate(id, variant.code, { allocated_qty: 0, reserve_quota: 0 }), 200);
    }
  assert.ok(outcomes.has('true false') && outcomes.has('false true'), [...outcomes].join());
});

test('a channel whose open orders drew on a pre-allocation is not archived: a cancellation would give it back', async () => {
  const { channel, variant, sku } = await make.setting(5);
  await make.allocate(channel, variant, 5);
  const order = orderOf([{ sku, quantity: 5, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const refused = await refusal(admin('PATCH', `/channels/${channel.id}`, { archived: true }), 409);
  assert.deepEqual(
    [refused.code, refused.details],
    ['channel_holds_stock', { channel_id: channel.id, variant_count: 1, allocated_qty: 5 }],
  );
  const report = { status: 3, tracking_number: 'T' };
  await must(channel.call('POST', `/orders/${order.order_number}/status`, report), 200);
  await must(admin('PATCH', `/channels/${channel.id}`, { archived: true }), 200);
});
