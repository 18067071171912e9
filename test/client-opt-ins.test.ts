// The TypeScript client and the opt-in features: the list in pages, bulk lookups, signing, and a rate limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SluiceClient, type ClientOptions } from '../clients/typescript/src/index.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { eventually } from '../verify/kit/until.ts';
import { clientErrorOf } from './kit/client-error.ts';

const service = await startTestService();
const make = fixtures(service);

const clientOf = ({ api_key }: TestChannel, options: Partial<ClientOptions> = {}): SluiceClient =>
  new SluiceClient({ baseUrl: `${service.origin}/api/v1`, apiKey: api_key, ...options });

/** A channel that sells one item under these SKUs. */
async function shop(skus: readonly string[]) {
  const channel = await make.channel();
  const variant = await make.variant(10);
  for (const sku of skus) await make.map(channel, variant, sku);
  return { channel, variant, client: clientOf(channel) };
}

test('the client reads an order back, and waits for its changes by token', async () => {
  const { client } = await shop(['a']);
  const { changesSince } = await client.orderChanges('now');
  const { order } = await client.submitOrder(orderOf([{ sku: 'a', quantity: 1, unit_price: 1 }]));
  assert.deepEqual(await client.order(order.order_number), order);
  assert.equal((await clientErrorOf(client.order('none'))).kind, 'not_found');
  // The wait is longer than the timeout of the client, which adds the two.
  const patient = client.orderChanges(changesSince, { waitSeconds: 30, limit: 1 });
  await must(service.admin('POST', `/orders/${order.id}/status`, { status: 3, tracking_number: 'T' }), 200);
  const told = await patient;
  assert.deepEqual(
    told.changes.map(({ id, status, tracking_number }) => [id, status, tracking_number]),
    [[order.id, 3, 'T']],
  );
  // `hasMore` can be true without more changes: other databases of the server write transactions, too.
  for (let next = told; next.hasMore;) {
    next = await client.orderChanges(next.changesSince);
    assert.deepEqual(next.changes, []);
  }
});

test('sync keeps a copy of the list up to date, survives a failure, and continues from its token in a later run', async () => {
  const { channel, client } = await shop(['a', 'b', 'c']);
  const copy = new Map<string, number>();
  const errors: unknown[] = [];
  let token: string | undefined;
  const run = async (until: () => boolean, work: () => Promise<unknown>): Promise<void> => {
    const stop = new AbortController();
    let isBroken = true;
    const running = client.sync({
      since: token,
      waitSeconds: 5,
      pauseMs: 1,
      signal: stop.signal,
      onRestart: () => copy.clear(),
      onRow: ({ sku, available }) => {
        if (sku === 'd' && isBroken) {
          isBroken = false;
          throw new Error('the shop could not take it');
        }
        copy.set(sku, available);
      },
      onRemoved: (sku) => void copy.delete(sku),
      onToken: (next) => {
        token = next;
        if (until()) stop.abort();
      },
      onError: (error) => void errors.push(error),
    });
    await work();
    await running;
  };
  await run(
    () => copy.size === 3 && copy.has('d'),
    async () => {
      await eventually(() => assert.equal(copy.size, 3));
      await must(service.admin('DELETE', `/channels/${channel.id}/mappings/b`), 204);
      await make.map(channel, await make.variant(7), 'd');
    },
  );
  assert.deepEqual(Object.fromEntries(copy), { a: 10, c: 10, d: 7 });
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['the shop could not take it'],
  );
  copy.clear();
  await run(
    () => copy.size > 0,
    () => client.submitOrder(orderOf([{ sku: 'd', quantity: 2, unit_price: 1 }])),
  );
  assert.equal(copy.get('d'), 5, 'only the changes since the token');
  assert.equal(copy.has('a'), false);
});

test('watchOrders passes on order changes as they happen', async () => {
  const { client } = await shop(['a']);
  const stop = new AbortController();
  const seen: [number, number][] = [];
  let isWatching = false;
  const watching = client.watchOrders({
    waitSeconds: 30,
    signal: stop.signal,
    onToken: () => void (isWatching = true),
    onChange: ({ id, status }) => {
      seen.push([id, status]);
      if (seen.length === 2) stop.abort();
    },
  });
  await eventually(() => assert.ok(isWatching));
  const ids: number[] = [];
  for (const status of [2, 88]) {
    const { order } = await client.submitOrder(orderOf([{ sku: 'a', quantity: 1, unit_price: 1 }]));
    ids.push(order.id);
    await must(service.admin('POST', `/orders/${order.id}/status`, { status }), 200);
    await eventually(() => assert.equal(seen.length, ids.length));
  }
  await watching;
  assert.deepEqual(seen, [
    [ids[0], 2],
    [ids[1], 88],
  ]);
});

test('the pages are the list; the token of the first page returns later changes, and an unknown token the whole list', async () => {
  const { channel, client } = await shop(['a', 'b', 'c', 'd&+ /', '렌즈']);
  const { items: whole } = await client.listInventory();
  const pages = [];
  for await (const page of client.inventoryPages({ limit: 2 })) pages.push(page);
  assert.deepEqual(
    pages.map(({ items }) => items.length),
    [2, 2, 1],
  );
  assert.deepEqual(
    pages.flatMap(({ items }) => items),
    whole,
  );

  const token = pages[0]?.changesSince ?? '';
  await make.map(channel, await make.variant(3), 'e');
  await must(service.admin('DELETE', `/channels/${channel.id}/mappings/b`), 204);
  const { items, removed, isComplete, hasMore, changesSince } = await client.changesSince(token);
  assert.deepEqual(
    [items.map(({ sku, available }) => [sku, available]), removed, isComplete, hasMore],
    [[['e', 3]], ['b'], false, false],
  );
  assert.deepEqual((await client.changesSince(changesSince)).items, []);

  const { client: other } = await shop(['x', 'y', 'z']);
  const first = await other.changesSince(token, { limit: 2 });
  assert.deepEqual([first.items.length, first.isComplete, first.hasMore], [2, true, true]);
  const second = await other.changesSince(first.changesSince, { limit: 2 });
  assert.deepEqual([second.items.length, second.isComplete, second.hasMore], [1, false, false]);
  assert.equal((await clientErrorOf(client.inventoryPages({ limit: 0 }).next())).kind, 'validation');
});

test('a bulk lookup returns the same rows as single lookups', async () => {
  const { client } = await shop(['a', '..', 'lookup']);
  const { items, unknown } = await client.lookupMany(['..', 'none', 'a', 'lookup']);
  assert.deepEqual(
    items.map(({ sku, available }) => [sku, available]),
    [
      ['..', 10],
      ['a', 10],
      ['lookup', 10],
    ],
  );
  assert.deepEqual(unknown, ['none']);
  assert.deepEqual(await client.lookup('lookup'), items[2]);
});

test('if signing is required every operation is signed correctly, and a wrong secret is reported', async () => {
  const odd = "a b/ü?#%'()*!~&+";
  const { channel, client } = await shop(['a', odd]);
  const { secret } = await must(service.admin('POST', `/channels/${channel.id}/signing-secrets`), 201);
  await must(service.admin('PUT', `/channels/${channel.id}/signing`, { mode: 'required' }), 200);
  const signed = clientOf(channel, { signingSecret: secret });
  assert.equal((await signed.lookup(odd)).available, 10);
  assert.equal((await signed.lookupMany([odd])).items.length, 1);
  const { value } = await signed.inventoryPages({ limit: 1 }).next();
  assert.equal((await signed.changesSince(value?.changesSince ?? '')).items.length, 0);
  const { etag } = await signed.listInventory();
  assert.equal((await signed.listInventory({ etag: etag ?? '' })).isChanged, false);
  const order = orderOf([{ sku: odd, quantity: 1, unit_price: 10 }], { order_number: `주문/${odd}` });
  assert.equal((await signed.submitOrder(order)).isNew, true);
  assert.equal((await signed.reportStatus(order.order_number, { status: 88 })).status, 88);

  for (const [stranger, code] of [
    [client, 'signature_missing'],
    [clientOf(channel, { signingSecret: `${secret}x` }), 'signature_invalid'],
  ] as const) {
    const error = await clientErrorOf(stranger.submitOrder(order));
    assert.deepEqual([error.kind, error.code, error.isRetriable], ['unauthorized', code, false]);
  }
});

test('over its rate limit the client waits, or fails with the wait if that is longer than its maximum', async () => {
  const { channel, client } = await shop(['a']);
  const limit = (requests_per_minute: number) =>
    must(service.admin('PUT', `/channels/${channel.id}/rate-limit`, { requests_per_minute, burst: 1 }), 200);
  await limit(1);
  await client.lookup('a');
  const error = await clientErrorOf(client.lookup('a'));
  assert.deepEqual([error.kind, error.status, error.isRetriable], ['rate_limited', 429, true]);
  assert.ok((error.retryAfterMs ?? 0) > 20_000, String(error.retryAfterMs));
  await limit(600);
  for (let n = 0; n < 2; n += 1) assert.equal((await client.lookup('a')).available, 10);
});
