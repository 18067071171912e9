// What was archived or has ended, against everything that could give it something or use it. Channels have the same table
// in `admin-channels.test.ts`.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { evaluateAlerts } from '../src/features/alerts/job.ts';
import { alertsWith } from '../src/features/alerts/kinds.ts';
import { fixtures, must, orderOf, unique, type TestVariant } from '../verify/kit/fixtures.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { startTestService, TEST_SECRET, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { sluice } from './cli-run.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { desk, refusal } from './kit/desk.ts';
import { PASSWORD, signedIn, Visitor } from './kit/visitor.ts';

const service = await startTestService({ env: { SLUICE_JOBS: '1' } });
const make = fixtures(service);
const { admin, pages, token } = desk(service);
const channel = await make.channel();
const giver = await make.channel();

const ORDERS =
  'channel_id,order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,variant_code,quantity,local_unit_price';
const orders = (code: string, status: number): string =>
  `${ORDERS}\n${channel.id},${unique('IN')},${status},2026-01-01T00:00:00+09:00,Kim,010,Seoul,S,${code},1,1\n`;
const allocations = (code: string, allocated: number, quota: number): string =>
  `channel_id,variant_code,allocated_qty,reserve_quota\n${channel.id},${code},${allocated},${quota}\n`;
const products = (product: string, code: string): string =>
  `product_code,product_name,variant_code\n${product},Product ${product},${code}\n`;
const allocate = (code: string, granted: object) =>
  admin('PUT', `/channels/${channel.id}/allocations/${code}`, granted);
const command = (what: string, input: string) =>
  sluice(['import', what, '-'], {
    input,
    env: { DATABASE_URL: service.database.url, SLUICE_SECRET: TEST_SECRET },
  });

const archived = (path: string, value: boolean) => admin('PATCH', path, { archived: value });
const WAYS: Record<string, (variant: TestVariant) => string> = {
  'the variant': ({ code }) => `/variants/${code}`,
  'its product': ({ product }) => `/products/${product}`,
};

/** Operations that would promise stock of a variant to a channel. */
const PROMISES: Record<string, (code: string) => Promise<HttpAnswer>> = {
  'a pre-allocation': (code) => allocate(code, { allocated_qty: 1, reserve_quota: 0 }),
  'a quota': (code) => allocate(code, { allocated_qty: 0, reserve_quota: 1 }),
  'many allocations': (code) =>
    admin('PUT', '/allocations', {
      changes: [{ channel_id: channel.id, variant_code: code, allocated_qty: 1, reserve_quota: 0 }],
    }),
  'a file of allocations': (code) => admin('POST', '/allocations/import', { csv: allocations(code, 1, 0) }),
  'a file of open orders': (code) => admin('POST', '/orders/import', { csv: orders(code, 1) }),
  'a dry run of open orders': (code) =>
    admin('POST', '/orders/import', { csv: orders(code, 0), dry_run: true }),
};
/** Operations that record what is there or over, or take away. */
const RECORDS: Record<string, (variant: TestVariant) => Promise<HttpAnswer>> = {
  'the counted quantity': ({ code }) => admin('PUT', `/stock/${code}`, { quantity: 3, reason: 'found' }),
  'a difference': ({ code }) => admin('POST', `/stock/${code}/adjustments`, { delta: -1, reason: 'damaged' }),
  'a file of stock': ({ code }) =>
    admin('POST', '/stock/import', {
      csv: `variant_code,quantity\n${code},0\n`,
      mode: 'set',
      reason: 'gone',
    }),
  'a file of closed orders': ({ code }) => admin('POST', '/orders/import', { csv: orders(code, 3) }),
  'nothing as allocation': ({ code }) => allocate(code, { allocated_qty: 0, reserve_quota: 0 }),
  'another barcode': ({ code }) => admin('PATCH', `/variants/${code}`, { barcode: unique('880') }),
  'another name': ({ product }) => admin('PATCH', `/products/${product}`, { name: 'Old' }),
  'the same file of products': ({ product, code }) =>
    admin('POST', '/products/import', { csv: products(product, code).replace('Product ', 'Renamed ') }),
};
const levelOf = async (code: string) => JSON.stringify(await must(admin('GET', `/stock/${code}`), 200));

for (const [way, path] of Object.entries(WAYS))
  test(`nothing is promised while ${way} is archived; what is there or over is recorded; all is possible once it is back`, async () => {
    const variant = await make.variant(0);
    const { code } = variant;
    await must(archived(path(variant), true), 200);
    const before = await levelOf(code);
    for (const [name, promise] of Object.entries(PROMISES)) {
      const answer = await promise(code);
      assert.ok(
        [409, 422].includes(answer.status) || answer.json.data?.problem_count === 1,
        name + answer.text,
      );
      assert.match(answer.text, /"variant_archived"/, name);
      assert.equal(await levelOf(code), before, name);
    }
    for (const [name, record] of Object.entries(RECORDS)) {
      const { status, text } = await record(variant);
      assert.ok(status === 200 || status === 201, `${name}: ${text}`);
      assert.doesNotMatch(text, /"problem_count":[1-9]/, name);
    }
    await must(archived(path(variant), false), 200);
    for (const [name, promise] of Object.entries(PROMISES)) {
      const { status, text } = await promise(code);
      assert.ok(status === 200 || status === 201, `${name}: ${text}`);
      assert.doesNotMatch(text, /"problem_count":[1-9]/, name);
    }
  });

test('an archived variant that holds a pre-allocation, because its product was archived by an older version, can only lose it', async () => {
  const variant = await make.variant(9);
  await make.allocate(giver, variant, 5);
  await make.allocate(channel, variant, 2, 2);
  await service.database.tamper(`update product set archived_at = now() where code = '${variant.product}'`);
  const transfer = await refusal(
    admin('POST', '/allocations/transfers', {
      variant_code: variant.code,
      from_channel_id: giver.id,
      to_channel_id: channel.id,
      quantity: 1,
    }),
    409,
  );
  assert.deepEqual([transfer.code, transfer.details], ['variant_archived', { variant_code: variant.code }]);
  await refusal(allocate(variant.code, { allocated_qty: 3, reserve_quota: 0 }), 409);
  await must(allocate(variant.code, { allocated_qty: 1, reserve_quota: 2 }), 200);
  const report = await must(
    admin('POST', '/allocations/import', { csv: allocations(variant.code, 0, 1) }),
    200,
  );
  assert.equal(report.problem_count, 0);
});

test('the command line names an archived variant or product with the line, and writes nothing', async () => {
  const { code, product } = await make.variant(0);
  await must(archived(`/products/${product}`, true), 200);
  const before = await levelOf(code);
  const files = {
    orders: [orders(code, 1), `variant "${code}" or its product is archived`],
    allocations: [allocations(code, 1, 0), `variant "${code}" or its product is archived`],
    products: [products(product, `${code}-NEW`), `product "${product}" is archived`],
  } as const;
  for (const [what, [csv, words]] of Object.entries(files)) {
    const { code: status, stdout, stderr } = await command(what, csv);
    assert.equal(status, 1, stdout + stderr);
    assert.match(stdout + stderr, /line 2/);
    assert.ok((stdout + stderr).includes(words), stdout + stderr);
  }
  assert.equal(await levelOf(code), before);
  assert.equal((await admin('GET', `/variants/${code}-NEW`)).status, 404);
});

test('an archived product gets no variants, and its variants come back with it, not one by one', async () => {
  const { code, product } = await make.variant(0);
  await must(archived(`/products/${product}`, true), 200);
  const added = await refusal(admin('POST', `/products/${product}/variants`, { code: `${code}-2` }), 409);
  const back = await refusal(archived(`/variants/${code}`, false), 409);
  for (const no of [added, back])
    assert.deepEqual([no.code, no.details], ['product_archived', { product_code: product }]);
  const file = await admin('POST', '/products/import', { csv: products(product, `${code}-2`) });
  assert.match(file.text, /"product_archived"/);
  assert.equal((await admin('GET', `/variants/${code}-2`)).status, 404);
  await must(archived(`/products/${product}`, false), 200);
  await must(archived(`/variants/${code}`, false), 200);
  await must(admin('POST', `/products/${product}/variants`, { code: `${code}-2` }), 201);
});

test('archiving and giving at the same moment: an archived variant never holds anything, an archived product gets no variant', async () => {
  const outcomes = new Set<string>();
  const races: Record<string, (variant: TestVariant) => Promise<HttpAnswer>> = {
    ...Object.fromEntries(
      ['a pre-allocation', 'many allocations', 'a file of allocations', 'a file of open orders'].map(
        (name) => [name, ({ code }) => PROMISES[name]!(code)],
      ),
    ),
    'a variant': ({ code, product }) => admin('POST', `/products/${product}/variants`, { code: `${code}-2` }),
  };
  for (const [name, give] of Object.entries(races))
    for (const [way, path] of Object.entries(WAYS)) {
      if (name === 'a variant' && way === 'the variant') continue;
      for (const isGivenFirst of [true, false]) {
        const variant = await make.variant(0);
        const { code, product } = variant;
        const row =
          name === 'a variant' ? `product where code = '${product}'` : `variant where code = '${code}'`;
        // The row is locked until both wait for a lock, in either order.
        const held = await openTransaction(service.database.url, `select from ${row} for update`);
        const begin = [() => give(variant), () => archived(path(variant), true)];
        const started: Promise<HttpAnswer>[] = [];
        for (const [turn, start] of (isGivenFirst ? begin : begin.toReversed()).entries()) {
          started.push(start());
          await untilWaiting(service.database.url, turn + 1);
        }
        await held.end();
        const answers = await Promise.all(started);
        const given = answers[isGivenFirst ? 0 : 1]!;
        const level = JSON.parse(await levelOf(code));
        const label = `${name}, ${way}, ${isGivenFirst ? 'given first' : 'archived first'}: ${given.text}`;
        assert.ok(given.status < 500, label);
        if (level.archived && name !== 'a variant')
          assert.deepEqual([level.allocated, level.unshipped], [0, 0], label);
        const isMade = given.status < 300 && !given.text.includes('_archived"');
        if (name === 'a variant') {
          const made = await admin('GET', `/variants/${code}-2`);
          assert.equal(made.status, isMade ? 200 : 404, label);
        } else assert.equal(isMade, level.allocated + level.unshipped > 0, label);
        outcomes.add(`${name} ${isMade}`);
      }
    }
  assert.deepEqual(
    Object.keys(races).filter((name) => !outcomes.has(`${name} false`)),
    [],
    'each was refused in one of its rounds',
  );
});

test('no alert about low stock is open for a variant of an archived product', async () => {
  const variant = await make.variant(0);
  await must(admin('PATCH', `/variants/${variant.code}`, { low_stock_at: 3 }), 200);
  const alerts = alertsWith([]);
  const kinds = alerts.kinds.filter(({ name }) => name === 'low_stock');
  const isOpen = async (): Promise<boolean> => {
    await evaluateAlerts({ ...service.service.services }, alerts, kinds);
    const open = await pages('/alerts?state=open&kind=low_stock', 500);
    return open.some(({ subject }) => subject === `variant:${variant.code}`);
  };
  assert.equal(await isOpen(), true);
  await must(archived(`/products/${variant.product}`, true), 200);
  assert.equal(await isOpen(), false);
  await must(archived(`/products/${variant.product}`, false), 200);
  await must(archived(`/variants/${variant.code}`, true), 200);
  assert.equal(await isOpen(), false);
});

test('a deactivated account gets no session, whatever an administrator gives it; its own requests are refused', async () => {
  const { user, visitor } = await signedIn(service, 'operator');
  const patch = (body: object) => must(admin('PATCH', `/users/${user.id}`, body), 200);
  const signIn = async (password: string) =>
    (await new Visitor(service.origin).signIn(user.email, password)).status;
  await patch({ is_active: false });
  const own: Record<string, () => Promise<HttpAnswer>> = {
    reading: () => visitor.call('GET', '/channels'),
    'its session': () => visitor.call('GET', '/session'),
    'a new password': () =>
      visitor.call('PUT', '/session/password', { current_password: PASSWORD, password: 'another good one' }),
    'a change': () => visitor.call('POST', '/products', { code: unique('P'), name: 'P', variants: [] }),
  };
  for (const [name, use] of Object.entries(own)) assert.equal((await use()).status, 401, name);
  assert.equal(await signIn(PASSWORD), 401);
  await patch({ role: 'admin', name: 'Kim' });
  assert.equal(await signIn(PASSWORD), 401);
  const { password } = await must(admin('POST', `/users/${user.id}/reset-password`), 200);
  assert.equal(await signIn(password), 401, 'the one-time password is for the time after activation');
  await must(admin('POST', `/users/${user.id}/reset-second-factor`), 200, 409);
  assert.equal(await signIn(password), 401);
  await patch({ is_active: true });
  assert.equal(await signIn(password), 200);
});

test('a revoked token reads, writes and creates nothing, and cannot be revoked again', async () => {
  const { id, token: revoked } = await must(
    admin('POST', '/tokens', { name: unique('ci'), role: 'admin' }),
    201,
  );
  await must(admin('GET', '/channels', undefined, revoked), 200);
  await must(admin('DELETE', `/tokens/${id}`), 204);
  const uses = [
    ['GET', '/channels'],
    ['POST', '/tokens', { name: unique('next'), role: 'admin' }],
    ['POST', '/users', { email: `${unique('u')}@example.com`, role: 'admin' }],
    ['PATCH', `/channels/${channel.id}`, { name: unique('renamed') }],
    ['DELETE', `/tokens/${id}`],
  ] as const;
  for (const [method, path, body] of uses)
    assert.equal((await admin(method, path, body, revoked)).status, 401, `${method} ${path}`);
  assert.equal((await admin('DELETE', `/tokens/${id}`, undefined, await token('admin'))).status, 404);
});

test('a paused endpoint gets no events, only what an operator sends to it; when it is resumed, it gets the events of the pause', async () => {
  const receiver = await startReceiver();
  after(() => receiver.close());
  const { variant, channel: shop, sku } = await make.setting(5);
  const events = ['order.accepted'];
  const paused = await must(admin('POST', '/webhooks', { url: receiver.url, events, is_active: false }), 201);
  const other = await startReceiver();
  after(() => other.close());
  const open = await must(admin('POST', '/webhooks', { url: other.url, events }), 201);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(shop.call('POST', '/orders', order), 201);
  await until(() => other.received.length > 0, 'the other endpoint has the event');
  const sent = await must(admin('POST', `/webhooks/${paused.id}/test`), 200);
  await must(admin('POST', `/webhooks/${paused.id}/deliveries/${sent.id}/resend`), 200);
  assert.deepEqual(
    receiver.received.map(({ json }) => json.type),
    ['webhook.test', 'webhook.test'],
  );
  await must(admin('PATCH', `/webhooks/${paused.id}`, { is_active: true }), 200);
  await until(() => receiver.received.length > 2, 'the event of the pause');
  assert.equal(receiver.received[2]?.json.data.order_number, order.order_number);
  await must(admin('DELETE', `/webhooks/${open.id}`), 204);
  await must(admin('DELETE', `/webhooks/${paused.id}`), 204);
  assert.equal((await admin('POST', `/webhooks/${paused.id}/test`)).status, 404);
  assert.equal((await make.stock(variant)).unshipped, 1);
});
