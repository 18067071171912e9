import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, call, startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, journaled, pages, token } = desk(service);

const put = (id: number, mappings: unknown) => admin('PUT', `/channels/${id}/mappings`, { mappings });

test('an upload adds and replaces mappings, and keeps the others', async () => {
  const channel = await make.channel();
  const [a, b] = [await make.variant(1), await make.variant(2)];
  const first = await put(channel.id, [
    { sku: 'S1', variant_code: a.code },
    { sku: 'S2', variant_code: a.code },
  ]);
  assert.deepEqual(first.json, { data: { count: 2 } });
  await must(put(channel.id, [{ sku: 'S2', variant_code: b.code }]), 200);
  const rows = await pages(`/channels/${channel.id}/mappings`, 500);
  assert.deepEqual(rows, [
    {
      sku: 'S1',
      variant_code: a.code,
      product_code: a.product,
      product_name: `Product ${a.product}`,
      power: null,
    },
    {
      sku: 'S2',
      variant_code: b.code,
      product_code: b.product,
      product_name: `Product ${b.product}`,
      power: null,
    },
  ]);
  assert.equal(await make.available(channel, 'S2'), 2);
  assert.equal(await journaled('channel_ids', channel.id), 2);

  const trail = await audits(`channel:${channel.id}`);
  assert.deepEqual(
    [trail[2]?.action, trail[2]?.before, trail[2]?.after],
    [
      'mapping.put',
      { mappings: [{ sku: 'S2', variant_code: a.code }] },
      { mappings: [{ sku: 'S2', variant_code: b.code }] },
    ],
  );
});

test('an upload without changes writes no audit entry, and a partial change is audited with only the changed mappings', async () => {
  const { channel, variant, sku } = await make.setting();
  const same = { sku, variant_code: variant.code };
  const before = await audits(`channel:${channel.id}`);
  assert.deepEqual((await put(channel.id, [same])).json, { data: { count: 1 } });
  assert.deepEqual((await put(channel.id, [])).json, { data: { count: 0 } });
  assert.deepEqual(await audits(`channel:${channel.id}`), before);
  const added = { sku: unique('S'), variant_code: variant.code };
  assert.deepEqual((await put(channel.id, [same, added])).json, { data: { count: 2 } });
  const last = (await audits(`channel:${channel.id}`)).at(-1);
  assert.deepEqual([last?.before, last?.after], [{ mappings: [] }, { mappings: [added] }]);
});

test('one unknown variant code refuses the whole upload', async () => {
  const channel = await make.channel();
  const { code } = await make.variant(1);
  const fields = await fieldsRefused(
    put(channel.id, [
      { sku: 'a', variant_code: code },
      { sku: 'b', variant_code: 'nope' },
      { sku: 'c', variant_code: code },
      { sku: 'd', variant_code: 'nope either' },
    ]),
  );
  assert.deepEqual(fields, ['mappings.1.variant_code', 'mappings.3.variant_code']);
  assert.deepEqual(await pages(`/channels/${channel.id}/mappings`, 500), []);
});

test('an upload with a repeated SKU, an invalid mapping or more than 10,000 mappings is refused', async () => {
  const { id } = await make.channel();
  const { code } = await make.variant(1);
  const mapping = { sku: 'a', variant_code: code };
  assert.deepEqual(await fieldsRefused(put(id, [mapping, { ...mapping, sku: 'b' }, mapping])), [
    'mappings.2.sku',
  ]);
  assert.deepEqual(await fieldsRefused(put(id, [{ sku: ' ', variant_code: 5 }, {}])), [
    'mappings.0.sku',
    'mappings.0.variant_code',
    'mappings.1.sku',
    'mappings.1.variant_code',
  ]);
  assert.deepEqual(await fieldsRefused(put(id, [{ sku: 'x'.repeat(101), variant_code: code }])), [
    'mappings.0.sku',
  ]);
  assert.deepEqual(await fieldsRefused(put(id, undefined)), ['mappings']);
  const many = Array.from({ length: 10_001 }, (_, n) => ({ sku: `${n}`, variant_code: 'v' }));
  assert.deepEqual(await fieldsRefused(put(id, many)), ['mappings']);
});

test('search finds SKUs of all channels, in pages without gaps or repeats', async () => {
  const part = unique('find');
  const [a, b] = [await make.channel(), await make.channel()];
  const { code } = await make.variant(1);
  const skus = [`x-${part}`, `y-${part}-z`];
  for (const { id } of [b, a])
    await must(
      put(
        id,
        [...skus, 'other'].map((sku) => ({ sku, variant_code: code })),
      ),
      200,
    );
  const found = await pages(`/mappings?search=${part.toUpperCase()}`, 1);
  assert.deepEqual(
    found.map((row) => [row.channel_id, row.sku, row.variant_code]),
    [a, b].flatMap(({ id }) => skus.map((sku) => [id, sku, code])),
  );
  assert.deepEqual(await fieldsRefused(admin('GET', '/mappings')), ['search']);
  assert.deepEqual(await fieldsRefused(admin('GET', '/mappings?search=a&cursor=IjEi')), ['cursor']);
});

test('10,000 mappings are uploaded in one request and listed in pages without gaps or repeats', async () => {
  const { id } = await make.channel();
  const { code } = await make.variant(1);
  const mappings = Array.from({ length: 10_000 }, (_, n) => ({ sku: `S${n}`, variant_code: code }));
  assert.deepEqual((await put(id, mappings)).json, { data: { count: 10_000 } });
  const skus = (await pages(`/channels/${id}/mappings`, 499)).map((row) => row.sku as string);
  assert.deepEqual(skus, mappings.map((mapping) => mapping.sku).toSorted());
});

test('search in the list of a channel matches SKU, variant, product and name', async () => {
  const channel = await make.channel();
  const variant = await make.variant(1, { name: 'Clear Day 100%' });
  const sku = await make.map(channel, variant, 'Ab_1');
  await make.map(channel, await make.variant(1), 'Abx1');
  const found = async (search: string) =>
    (await pages(`/channels/${channel.id}/mappings?search=${encodeURIComponent(search)}`, 500)).map(
      (row) => row.sku as string,
    );
  for (const search of ['ab_', 'day 100%', variant.code.toLowerCase(), variant.product])
    assert.deepEqual(await found(search), [sku], search);
  assert.deepEqual(await found('aB'), ['Ab_1', 'Abx1']);
});

test('removing a mapping hides the SKU from the channel; removing it again is 404', async () => {
  const { channel, variant, sku } = await make.setting();
  const path = `/channels/${channel.id}/mappings/${sku}`;
  // Many clients send this header with every request.
  const answer = await call(`${service.origin}/admin/v1${path}`, 'DELETE', undefined, {
    authorization: `Bearer ${ADMIN_TOKEN}`,
    'content-type': 'application/json',
  });
  assert.deepEqual([answer.status, answer.text], [204, '']);
  assert.equal((await channel.call('GET', `/inventory/${sku}`)).status, 404);
  await refusal(admin('DELETE', path), 404);
  const last = (await audits(`channel:${channel.id}`)).at(-1);
  assert.deepEqual(
    [last?.action, last?.before, last?.after],
    ['mapping.delete', { mappings: [{ sku, variant_code: variant.code }] }, { mappings: [] }],
  );
});

test('an order keeps its internal SKU when the channel SKU is mapped to another variant', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 4, unit_price: 1 }])), 201);
  const other = await make.variant(3);
  await make.map(channel, other, sku);
  assert.equal((await make.stock(variant)).unshipped, 4);
  assert.equal((await make.stock(other)).unshipped, 0);
});

test('SKUs with special characters can be mapped, looked up and unmapped', async () => {
  const channel = await make.channel();
  for (const text of ODD_TEXTS) {
    const variant = await make.variant(3, { code: unique(text) });
    const sku = await make.map(channel, variant, text);
    assert.equal(await make.available(channel, sku), 3, text);
    await must(put(channel.id, [{ sku: `${text}!`, variant_code: variant.code }]), 200);
    const path = `/channels/${channel.id}/mappings/${encodeURIComponent(`${text}!`)}`;
    assert.equal((await admin('DELETE', path)).status, 204, text);
  }
  const skus = (await pages(`/channels/${channel.id}/mappings`, 1)).map((row) => row.sku as string);
  assert.deepEqual(new Set(skus), new Set(ODD_TEXTS));
  assert.deepEqual(await fieldsRefused(admin('DELETE', `/channels/${channel.id}/mappings/a%00`)), ['sku']);
});

test('concurrent uploads of the same SKUs replace each other completely, and the audit log shows it', async () => {
  const { id } = await make.channel();
  const [a, b] = [await make.variant(1), await make.variant(1)];
  const skus = Array.from({ length: 300 }, (_, n) => `S${n}`);
  const upload = (code: string, order: string[]) =>
    put(
      id,
      order.map((sku) => ({ sku, variant_code: code })),
    );
  const answers = await Promise.all([
    upload(a.code, skus),
    upload(b.code, skus.toReversed()),
    upload(a.code, skus.toReversed()),
    upload(b.code, skus),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 200],
  );
  const codes = new Set((await pages(`/channels/${id}/mappings`, 500)).map((row) => row.variant_code));
  assert.equal(codes.size, 1);

  const trail = (await audits(`channel:${id}`)).filter((entry) => entry.action === 'mapping.put');
  const sorted = (entry: object | null) =>
    (entry as { mappings: { sku: string }[] }).mappings.toSorted((x, y) => (x.sku < y.sku ? -1 : 1));
  for (const [index, entry] of trail.entries()) {
    const before = trail[index - 1];
    assert.deepEqual(sorted(entry.before), before ? sorted(before.after) : [], `upload ${index}`);
  }
});

test('many SKUs are unmapped in one request, and uploading the response restores them', async () => {
  const { channel, variant } = await make.setting(3);
  const skus = [];
  for (let n = 0; n < 3; n++) skus.push(await make.map(channel, variant));
  const path = `/channels/${channel.id}/mappings`;
  const before = await pages(path, 500);
  const { removed } = await must(admin('POST', `${path}/remove`, { skus: [...skus, 'never', skus[0]] }), 200);
  assert.deepEqual(
    removed,
    skus.toSorted().map((sku) => ({ sku, variant_code: variant.code })),
  );
  for (const sku of skus) assert.equal((await channel.call('GET', `/inventory/${sku}`)).status, 404);
  assert.equal((await pages(path, 500)).length, 1);
  const last = (await audits(`channel:${channel.id}`)).at(-1);
  assert.deepEqual([last?.action, last?.before], ['mapping.delete', { mappings: removed }]);
  assert.deepEqual(await must(admin('POST', `${path}/remove`, { skus }), 200), { removed: [] });
  assert.equal(
    (await audits(`channel:${channel.id}`)).at(-1)?.id,
    last?.id,
    'removing unmapped SKUs writes no audit entry',
  );
  await must(admin('PUT', path, { mappings: removed }), 200);
  assert.deepEqual(await pages(path, 500), before);
  for (const body of [{}, { skus: [] }, { skus: [''] }, { skus: 'a' }])
    await refusal(admin('POST', `${path}/remove`, body), 422);
  await refusal(admin('POST', '/channels/999999/mappings/remove', { skus }), 404);
  await refusal(admin('POST', `${path}/remove`, { skus }, await token('viewer')), 403);
});
