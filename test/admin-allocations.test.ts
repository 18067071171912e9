import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setAllocations } from '../src/core/allocations/changes.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { desk, fieldsRefused, ODD_TEXTS, refusal, statusesOf } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, startTestService } from '../verify/kit/service.ts';

const INT32_MAX = 2_147_483_647;

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, journaled, pages } = desk(service);
const { pool } = service.service.services;
const put = (id: number, code: string, body: unknown) =>
  admin('PUT', `/channels/${id}/allocations/${encodeURIComponent(code)}`, body);

const movements = async (channelId: number) => {
  const sql =
    'select delta, allocated_after, actor from allocation_movement where channel_id = $1 order by id';
  return (await pool.query(sql, [channelId])).rows as unknown[];
};

test('the worked example: of 100 in stock A has 30 and B has 20 allocated, the common stock is 50', async () => {
  const variant = await make.variant(100);
  const [a, b] = [await make.channel(), await make.channel()];
  const answer = await must(put(a.id, variant.code, { allocated_qty: 30, reserve_quota: 4 }), 200);
  assert.deepEqual(answer, {
    channel_id: a.id,
    variant_code: variant.code,
    allocated_qty: 30,
    reserve_quota: 4,
    backordered_qty: 0,
    available: 100,
    reserve_remaining: 4,
    overcommitted_by: 0,
  });
  await make.allocate(b, variant, 20);
  const row = await make.stock(variant);
  assert.deepEqual([row.allocated, row.common_available], [50, 50]);
  assert.deepEqual(
    row.channels.map((channel: { available: number }) => channel.available),
    [80, 70],
  );
});

test('allocated_qty sets the live remainder, regardless of what orders have drawn before', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 10);
  const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  assert.equal((await make.stock(variant)).allocated, 6);
  const answer = await must(put(channel.id, variant.code, { allocated_qty: 5, reserve_quota: 0 }), 200);
  assert.deepEqual([answer.allocated_qty, answer.available], [5, 6]);
  assert.deepEqual(await movements(channel.id), [
    { delta: 10, allocated_after: 10, actor: 'environment' },
    { delta: -1, allocated_after: 5, actor: 'environment' },
  ]);
  await must(channel.call('POST', `/orders/${order.order_number}/status`, { status: 88 }), 200);
  assert.equal(
    (await make.stock(variant)).channels[0].allocated_qty,
    9,
    'a cancelled order returns what it has drawn',
  );
});

test('an allocation larger than the physical stock is accepted as overcommitted; other channels have 0 available', async () => {
  const { channel, variant } = await make.setting(10);
  const other = await make.setting(1);
  const sku = await make.map(other.channel, variant);
  const answer = await make.allocate(channel, variant, 25);
  assert.deepEqual([answer.allocated_qty, answer.available, answer.overcommitted_by], [25, 10, 15]);
  assert.equal(await make.available(other.channel, sku), 0);
  const [listed] = await must(admin('GET', `/channels/${channel.id}/allocations`), 200);
  assert.deepEqual(listed, answer);
  const [row] = await must(admin('GET', `/allocations?search=${encodeURIComponent(variant.code)}`), 200);
  assert.equal(row.overcommitted_by, 15);
  const most = await must(
    put(channel.id, variant.code, { allocated_qty: INT32_MAX, reserve_quota: INT32_MAX }),
    200,
  );
  assert.deepEqual([most.allocated_qty, most.reserve_quota], [INT32_MAX, INT32_MAX]);
});

test('a quota below the open backorders shows 0 remaining and refuses the next backorder', async () => {
  const { channel, variant, sku } = await make.setting(0);
  await make.allocate(channel, variant, 0, 5);
  const backorder = (quantity: number) =>
    channel.call('POST', '/orders', orderOf([{ sku, quantity, unit_price: 1 }], { is_backorder: true }));
  await must(backorder(4), 201);
  const answer = await must(put(channel.id, variant.code, { allocated_qty: 0, reserve_quota: 2 }), 200);
  assert.deepEqual([answer.backordered_qty, answer.reserve_remaining], [4, 0]);
  assert.equal((await backorder(1)).status, 422);
  assert.deepEqual(await movements(channel.id), [], 'a quota writes no allocation movement');
});

test('each change of an allocation is written to the audit log and the journal', async () => {
  const { channel, variant } = await make.setting(10);
  const product = await must(admin('GET', `/products/${variant.product}`), 200);
  const id = product.variants[0].id as number;
  const entries = await journaled('variant_ids', id);
  await make.allocate(channel, variant, 3, 1);
  await make.allocate(channel, variant, 4, 1);
  assert.equal(await journaled('variant_ids', id), entries + 2);
  const channel_id = channel.id;
  assert.deepEqual(
    (await audits(`variant:${variant.code}`))
      .slice(1)
      .map((entry) => [entry.action, entry.before, entry.after]),
    [
      ['allocation.set', null, { channel_id, allocated_qty: 3, reserve_quota: 1 }],
      [
        'allocation.set',
        { channel_id, allocated_qty: 3, reserve_quota: 1 },
        { channel_id, allocated_qty: 4, reserve_quota: 1 },
      ],
    ],
  );
});

test('without a stock row an allocation is refused; unknown channels and variants are not found', async () => {
  const { channel, variant } = await make.setting(null);
  const body = { allocated_qty: 1, reserve_quota: 0 };
  const missing = await refusal(put(channel.id, variant.code, body), 422);
  assert.match(missing.error ?? '', new RegExp(variant.code));
  await refusal(put(channel.id, 'nope', body), 404);
  await refusal(put(2_000_000, variant.code, body), 404);
  await refusal(admin('GET', '/channels/2000000/allocations'), 404);
});

test('allocated_qty and reserve_quota are required, and are non-negative 32-bit integers', async () => {
  const { channel, variant } = await make.setting(1);
  const fields = (body: unknown) => fieldsRefused(put(channel.id, variant.code, body));
  assert.deepEqual(await fields({}), ['allocated_qty', 'reserve_quota']);
  assert.deepEqual(await fields({ allocated_qty: -1, reserve_quota: 1.5 }), [
    'allocated_qty',
    'reserve_quota',
  ]);
  assert.deepEqual(await fields({ allocated_qty: INT32_MAX + 1, reserve_quota: null }), [
    'allocated_qty',
    'reserve_quota',
  ]);
});

test('concurrent changes of one allocation and orders: the total stays the sum of the channels', async () => {
  const { channel, variant, sku } = await make.setting(40);
  const other = await make.channel();
  const order = () => channel.call('POST', '/orders', orderOf([{ sku, quantity: 2, unit_price: 1 }]));
  const set = (who: { id: number }, n: number) =>
    put(who.id, variant.code, { allocated_qty: n % 7, reserve_quota: n });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => [order(), set(channel, n), set(other, n)]).flat(),
  );
  assert.ok(answers.every((answer) => [200, 201, 422].includes(answer.status)));
  const row = await make.stock(variant);
  const held = row.channels.map((one: { allocated_qty: number }) => one.allocated_qty);
  assert.equal(
    row.allocated,
    held.reduce((sum: number, n: number) => sum + n, 0),
  );
});

test('the list of a channel is complete in pages of any size, including codes with special characters', async () => {
  const channel = await make.channel();
  for (const [index, text] of ODD_TEXTS.entries())
    await make.allocate(channel, await make.variant(10, { code: unique(text) }), index, 1);
  const path = `/channels/${channel.id}/allocations`;
  const all = await pages(path, 500);
  assert.equal(all.length, ODD_TEXTS.length);
  assert.deepEqual(await pages(path, 1), all);
  assert.deepEqual(await pages(path, 3), all);
  assert.ok(all.every((row) => row.channel_id === channel.id && row.available === 10));
});

test('a change with stale expected values is a conflict that returns the current values', async () => {
  const { channel, variant } = await make.setting(100);
  const expecting = (allocated: unknown, quota: unknown, wanted = { allocated_qty: 9, reserve_quota: 9 }) =>
    put(channel.id, variant.code, {
      ...wanted,
      expected_allocated_qty: allocated,
      expected_reserve_quota: quota,
    });
  const none = await expecting(1, undefined);
  assert.equal(none.status, 409, none.text);
  await must(expecting(0, 0, { allocated_qty: 5, reserve_quota: 7 }), 200); // no allocation counts as 0 and 0
  for (const [allocated, quota] of [
    [4, 7],
    [5, 6],
    [null, 6],
    [4, undefined],
    [2 ** 53, 7],
  ]) {
    const answer = await expecting(allocated, quota);
    assert.equal(answer.status, 409, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['error', 'code', 'details']);
    assert.equal(answer.json.code, 'stale');
    const there = { allocated_qty: 5, reserve_quota: 7 };
    assert.deepEqual(answer.json.details, { channel_id: channel.id, variant_code: variant.code, ...there });
    assert.match(answer.json.error, /is now 5, its backorder quota 7/);
  }
  const [row] = await pages(`/channels/${channel.id}/allocations`, 500);
  assert.deepEqual([row.allocated_qty, row.reserve_quota], [5, 7]);
  assert.equal((await audits(`variant:${variant.code}`)).length, 2, 'a conflict writes no audit entry');
  await must(expecting(5, null), 200);
  for (const wrong of [-1, 1.5, '5'])
    assert.deepEqual(await fieldsRefused(expecting(wrong, 9)), ['expected_allocated_qty']);
});

test('two concurrent changes with the same expected value: one succeeds, the other is a conflict', async () => {
  for (let round = 0; round < 10; round++) {
    const { channel, variant } = await make.setting(10);
    const answers = await Promise.all(
      [3, 4].map((allocated_qty) =>
        put(channel.id, variant.code, { allocated_qty, reserve_quota: 0, expected_allocated_qty: 0 }),
      ),
    );
    assert.deepEqual(statusesOf(answers), [200, 409]);
  }
});

test('an order that drew from the allocation meanwhile makes the expected value stale', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await make.allocate(channel, variant, 10);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 4, unit_price: 1 }])), 201);
  const late = { allocated_qty: 12, reserve_quota: 0, expected_allocated_qty: 10 };
  assert.match((await refusal(put(channel.id, variant.code, late), 409)).error ?? '', /now 6/);
});

const many = (changes: object[], more: object = {}) => admin('PUT', '/allocations', { changes, ...more });

test('many allocations are set in one request, and the response shows the state after all of them', async () => {
  const [first, second] = [await make.variant(100), await make.variant(10)];
  const [a, b] = [await make.channel(), await make.channel()];
  const changes = [
    { channel_id: a.id, variant_code: second.code, allocated_qty: 7, reserve_quota: 2 },
    { channel_id: a.id, variant_code: first.code, allocated_qty: 30, reserve_quota: 0 },
    { channel_id: b.id, variant_code: second.code, allocated_qty: 5, reserve_quota: 0 },
  ];
  const expected = [
    [a.id, second.code, 7, 2],
    [a.id, first.code, 30, 0],
    [b.id, second.code, 5, 2],
  ];
  const shown = (items: Record<string, unknown>[]) =>
    items.map((item) => [
      item['channel_id'],
      item['variant_code'],
      item['allocated_qty'],
      item['overcommitted_by'],
    ]);
  assert.deepEqual(shown(await must(many(changes, { dry_run: true }), 200)), expected);
  assert.equal((await make.stock(second)).allocated, 0, 'a dry run changes nothing');
  assert.deepEqual(
    await audits(`variant:${first.code}`),
    (await audits(`variant:${first.code}`)).slice(0, 1),
  );
  assert.deepEqual(shown(await must(many(changes), 200)), expected);
  assert.deepEqual([(await make.stock(first)).allocated, (await make.stock(second)).allocated], [30, 12]);
  assert.equal(
    (await audits(`variant:${second.code}`)).length,
    3,
    'one entry for the stock, two for the allocations',
  );
});

test('many allocations are set with as many statements as one, because orders wait for the locked stock rows', async () => {
  const channel = await make.channel();
  const variants = [await make.variant(10), await make.variant(10), await make.variant(10)];
  const changes = variants.map(({ code }) => ({
    channel_id: channel.id,
    variant_code: code,
    allocated_qty: 1,
    reserve_quota: 1,
  }));
  const statementsFor = async (wanted: typeof changes): Promise<number> => {
    let count = 0;
    const work = (tx: Tx) =>
      setAllocations(
        {
          query(config) {
            count += 1;
            return tx.query(config);
          },
        },
        { actor: 'test', request_id: null },
        wanted,
      );
    assert.equal((await inTransaction(pool, work, () => false)).kind, 'done');
    return count;
  };
  assert.equal(await statementsFor(changes), await statementsFor(changes.slice(0, 1)));
});

test('one invalid change refuses the whole request, and every invalid change is named by its position', async () => {
  const { channel, variant } = await make.setting(10);
  const bare = await make.variant(null);
  const grant = { channel_id: channel.id, variant_code: variant.code, allocated_qty: 4, reserve_quota: 0 };
  const no = await refusal(
    many([
      grant,
      { ...grant, variant_code: 'nothing' },
      { ...grant, channel_id: 999_999 },
      { ...grant, variant_code: bare.code },
      { ...grant, allocated_qty: 5 },
    ]),
    422,
  );
  assert.equal(no.code, 'allocations_refused');
  assert.deepEqual(no.details, {
    problems: [
      { position: 1, code: 'variant_unknown' },
      { position: 2, code: 'channel_unknown' },
      { position: 3, code: 'stock_missing' },
      { position: 4, code: 'repeated' },
    ],
  });
  assert.equal((await make.stock(variant)).allocated, 0);
  const stale = await refusal(many([{ ...grant, expected_allocated_qty: 1 }]), 422);
  assert.deepEqual(stale.details, { problems: [{ position: 0, code: 'allocation_changed' }] });
  assert.deepEqual(await fieldsRefused(many([])), ['changes']);
  assert.deepEqual(await fieldsRefused(many([{ ...grant, allocated_qty: -1 }])), ['changes.0.allocated_qty']);
});

test('concurrent changes of the same variants in opposite order do not deadlock', async () => {
  const variants = [await make.variant(10), await make.variant(10), await make.variant(10)];
  const channel = await make.channel();
  const changes = variants.map(({ code }) => ({
    channel_id: channel.id,
    variant_code: code,
    allocated_qty: 1,
    reserve_quota: 0,
  }));
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => many(n % 2 === 0 ? changes : changes.toReversed())),
  );
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
});

const transfer = (from: number, to: number, variant_code: string, quantity: number) =>
  admin('POST', '/allocations/transfers', {
    variant_code,
    from_channel_id: from,
    to_channel_id: to,
    quantity,
  });

test('a transfer moves a part of the pre-allocation; the total and the quotas stay the same', async () => {
  const variant = await make.variant(100);
  const [a, b] = [await make.channel(), await make.channel()];
  await make.allocate(a, variant, 30, 4);
  const moved = await must(transfer(a.id, b.id, variant.code, 12), 200);
  assert.deepEqual(
    moved.map((item: Record<string, unknown>) => [
      item['channel_id'],
      item['allocated_qty'],
      item['reserve_quota'],
    ]),
    [
      [a.id, 18, 4],
      [b.id, 12, 0],
    ],
  );
  assert.equal((await make.stock(variant)).allocated, 30);
  const no = await refusal(transfer(a.id, b.id, variant.code, 19), 409);
  assert.deepEqual(
    [no.code, no.details],
    ['allocation_insufficient', { channel_id: a.id, variant_code: variant.code, allocated_qty: 18 }],
  );
  await refusal(transfer(a.id, 999_999, variant.code, 1), 404);
  await refusal(transfer(999_999, a.id, variant.code, 1), 404);
  await refusal(transfer(a.id, b.id, 'nothing', 1), 404);
  assert.deepEqual(await fieldsRefused(transfer(a.id, a.id, variant.code, 1)), ['to_channel_id']);
  assert.deepEqual(await fieldsRefused(transfer(a.id, b.id, variant.code, 0)), ['quantity']);
  assert.equal((await make.stock(variant)).allocated, 30);
});

test('concurrent transfers and orders never draw more than was allocated', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.channel();
  await make.allocate(channel, variant, 10);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? transfer(channel.id, other.id, variant.code, 1)
        : channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    ),
  );
  const moved = answers.filter((answer, n) => n % 2 === 0 && answer.status === 200).length;
  const sold = answers.filter((answer, n) => n % 2 === 1 && answer.status === 201).length;
  assert.equal(moved + sold, 10);
  const { channels } = await make.stock(variant);
  assert.deepEqual(
    channels
      .map((one: { allocated_qty: number }) => one.allocated_qty)
      .toSorted((x: number, y: number) => x - y),
    [0, moved],
  );
});

const allocationCsv = (...rows: readonly (readonly [number, string, number | string, number])[]): string =>
  ['channel_id,variant_code,allocated_qty,reserve_quota', ...rows.map((row) => row.join(','))].join('\n');
const load = (csv: string, dry_run = false) => admin('POST', '/allocations/import', { csv, dry_run });

test('import of allocations: a dry run shows the result, the import writes all rows', async () => {
  const { channel, variant } = await make.setting(10);
  const other = await make.channel();
  const second = await make.variant(5);
  const csv = allocationCsv(
    [channel.id, variant.code, 4, 2],
    [other.id, variant.code, 8, 0],
    [other.id, second.code, 5, 0],
  );
  const dry = await must(load(csv, true), 200);
  assert.deepEqual(
    [dry.count, dry.rows.map((row: any) => [row.allocated_qty, row.available, row.overcommitted_by])],
    [
      3,
      [
        [4, 4, 2],
        [8, 8, 2],
        [5, 5, 0],
      ],
    ],
  );
  assert.equal((await make.stock(variant)).allocated, 0);
  assert.equal((await must(load(csv), 200)).count, 3);
  assert.equal((await make.stock(variant)).allocated, 12);
  assert.equal((await make.stock(second)).allocated, 5);
});

test('import of allocations: one invalid row refuses the whole file, with line and code of each problem', async () => {
  const { channel, variant } = await make.setting(10);
  const bare = await make.variant(null);
  const csv = allocationCsv(
    [channel.id, variant.code, 4, 0],
    [channel.id, 'nothing', 1, 0],
    [999_999, variant.code, 1, 0],
    [channel.id, bare.code, 1, 0],
    [channel.id, variant.code, 5, 0],
    [channel.id, variant.code, '1.5', 0],
  );
  const no = (await refusal(load(csv), 422)) as any;
  assert.equal(no.code, 'invalid_file');
  assert.deepEqual(
    no.data.problems.map(({ line, code }: any) => [line, code]),
    [
      [3, 'variant_unknown'],
      [4, 'channel_unknown'],
      [5, 'stock_missing'],
      [6, 'allocation_repeated'],
      [7, 'not_a_quantity'],
    ],
  );
  assert.deepEqual([no.data.count, no.data.rows], [0, []]);
  // A row that cannot be parsed refuses the file too.
  await refusal(
    load(allocationCsv([channel.id, variant.code, 4, 0], [channel.id, variant.code, 'x', 0])),
    422,
  );
  assert.equal((await make.stock(variant)).allocated, 0);
  await refusal(load(''), 422);
});

test('importing the exported allocations again changes nothing', async () => {
  const { channel, variant } = await make.setting(10);
  await make.allocate(channel, variant, 3, 7);
  const mappedOnly = await make.setting(1);
  const response = await fetch(`${service.origin}/admin/v1/allocations/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.match(text, new RegExp(`^${channel.id},${variant.code},3,7,\r$`, 'm'));
  assert.match(text, new RegExp(`^${mappedOnly.channel.id},${mappedOnly.variant.code},0,0,\r$`, 'm'));
  const rows = text.trim().split('\r\n').length - 1;
  assert.equal((await must(load(text), 200)).count, rows);
  const { channels } = await make.stock(variant);
  assert.deepEqual([channels[0].allocated_qty, channels[0].reserve_quota], [3, 7]);
});

test('concurrent transfers in all directions keep the total and never deadlock', async () => {
  const variant = await make.variant(30);
  const [a, b, c] = [await make.channel(), await make.channel(), await make.channel()];
  for (const channel of [a, b, c]) await make.allocate(channel, variant, 10);
  const ring = [a, b, c].map(({ id }) => id);
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      transfer(ring[n % 3]!, ring[(n * 2 + 1) % 3]!, variant.code, 1 + (n % 4)),
    ),
  );
  for (const answer of answers) assert.ok([200, 409, 422].includes(answer.status), answer.text);
  const { allocated, channels } = await make.stock(variant);
  const held = channels.map((one: { allocated_qty: number }) => one.allocated_qty);
  assert.equal(allocated, 30);
  assert.equal(
    held.reduce((sum: number, n: number) => sum + n, 0),
    30,
  );
  assert.ok(held.every((n: number) => n >= 0));
});
