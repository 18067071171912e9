// Two channels whose SKUs, variants and order numbers collide. With the key of one channel, the test tries to reach all
// data of the other. No answer may reveal that data, not even by a different error text, and none of it may change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fixtures,
  must,
  orderOf,
  unique,
  type TestChannel,
  type TestVariant,
} from '../verify/kit/fixtures.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 8);

const service = await startTestService();
const make = fixtures(service);
const { pool } = service.service.services;

/** Names that a careless comparison would treat as equal. */
const SKUS = ['S', 's', 'S1', 'S/1', 'S%2F1', 'S 1', '1', '한글', '__proto__'] as const;
const VARIANTS = 4;
const NUMBERS = ['1', '1a', '1A', '1/2', '한'] as const;
const STATUSES = [0, 1, 2, 9, 3, 88] as const;

const mapping = fc.dictionary(fc.constantFrom(...SKUS), fc.nat(VARIANTS - 1), {
  minKeys: 2,
  noNullPrototype: true,
});
/** 30 is more than the physical stock of a variant. */
const allocatedQty = fc.oneof({ arbitrary: fc.nat(5), weight: 4 }, { arbitrary: fc.constant(30), weight: 1 });
const side = fc.record({
  mapping,
  /** The variant, its pre-allocated quantity, and the quota. */
  allocations: fc.array(fc.tuple(fc.nat(VARIANTS - 1), allocatedQty, fc.nat(9)), { maxLength: 3 }),
  orders: fc.uniqueArray(
    fc.record({
      number: fc.constantFrom(...NUMBERS),
      line: fc.nat(8),
      quantity: fc.integer({ min: 1, max: 3 }),
      is_backorder: fc.boolean(),
      status: fc.constantFrom(0, 1),
    }),
    { selector: ({ number }) => number, minLength: 1, maxLength: 4 },
  ),
});
const attempt = fc.oneof(
  fc.record({ kind: fc.constant('lookup' as const), sku: fc.constantFrom(...SKUS), way: fc.nat(4) }),
  fc.record({ kind: fc.constant('list' as const), tag: fc.nat(3) }),
  fc.record({ kind: fc.constantFrom('many' as const, 'page' as const, 'changes' as const) }),
  fc.record({
    kind: fc.constant('order' as const),
    sku: fc.constantFrom(...SKUS),
    quantity: fc.integer({ min: 1, max: 4 }),
    is_backorder: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('resend' as const), order: fc.nat(3), sku: fc.constantFrom(...SKUS) }),
  fc.record({
    kind: fc.constant('report' as const),
    order: fc.nat(3),
    status: fc.constantFrom(...STATUSES),
    way: fc.nat(4),
  }),
);
type Side = typeof side extends fc.Arbitrary<infer T> ? T : never;
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

interface Party extends Side {
  channel: TestChannel;
  /** The numbers of accepted orders. */
  taken: string[];
  recipient: string;
}

interface Pair {
  /** Order numbers are global, so each run has its own prefix. */
  run: string;
  variants: TestVariant[];
  victim: Party;
  other: Party;
}

async function makePair(victim: Side, other: Side): Promise<Pair> {
  const run = unique('run');
  const variants: TestVariant[] = [];
  for (let index = 0; index < VARIANTS; index++)
    variants.push(await make.variant(20, { name: `${run} item ${index}` }));
  const party = async (plan: Side, name: string): Promise<Party> => {
    const channel = await make.channel({ name: `${run} ${name}` });
    const mappings = Object.entries(plan.mapping).map(([sku, index]) => ({
      sku,
      variant_code: variants[index]?.code,
    }));
    await must(service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
    for (const [index, allocated, quota] of plan.allocations)
      await make.allocate(channel, variants[index] as TestVariant, allocated, quota);
    return { ...plan, channel, taken: [], recipient: `${run} recipient of ${name}` };
  };
  const pair = { run, variants, victim: await party(victim, 'victim'), other: await party(other, 'other') };
  for (const one of [pair.victim, pair.other]) {
    const skus = Object.keys(one.mapping);
    for (const { number, line, ...fields } of one.orders) {
      const items = [{ sku: skus[line % skus.length] ?? '', quantity: fields.quantity, unit_price: 1 }];
      // Both sides use the same numbers, except for the prefix (contract 4.3.3).
      const order_number = `${run}${one === pair.victim ? 'V' : 'O'}${number}`;
      const body = orderOf(items, { ...fields, order_number, recipient_name: one.recipient });
      if ((await one.channel.call('POST', '/orders', body)).status === 201) one.taken.push(order_number);
    }
  }
  return pair;
}

/** Every stored row of a channel. Stock is left out because all channels share it. */
async function rowsOf(channelId: number): Promise<unknown> {
  await service.service.flush();
  const result = await pool.query(
    `select
       (select json_agg(m order by m.sku) from mapping m where channel_id = $1) as mappings,
       (select json_agg(a order by a.variant_id) from allocation a where channel_id = $1) as allocations,
       (select json_agg(o order by o.id) from orders o where channel_id = $1) as orders,
       (select json_agg(i order by i.order_id, i.line) from order_item i join orders o on o.id = i.order_id
        where o.channel_id = $1) as items,
       (select json_agg(h order by h.order_id, h.to_status) from order_history h join orders o on o.id = h.order_id
        where o.channel_id = $1) as history,
       (select json_agg(r order by r.hour, r.reason) from refusal_count r where channel_id = $1) as refusals,
       (select json_agg(v order by v.sku) from asked_in_vain v where channel_id = $1) as asked,
       (select to_jsonb(c) - 'key_last_used_at' from channel c where id = $1) as channel`,
    [channelId],
  );
  return result.rows[0];
}

const VARYING = ['x-request-id', 'date', 'etag', 'content-length'];

/** An answer without the headers that differ from one request to the next. */
const saying = ({
  status,
  text,
  headers,
}: HttpAnswer): { status: number; text: string; headers: unknown } => ({
  status,
  text,
  headers: [...headers.entries()].filter(([header]) => !VARYING.includes(header)),
});

/** A request for a name of the other channel gets the same answer as one for a name that does not exist. */
async function assertSameAs(
  ask: (name: string) => Promise<HttpAnswer>,
  name: string,
  unknown: string,
): Promise<HttpAnswer> {
  const [answer, blank] = [await ask(name), saying(await ask(unknown))];
  assert.deepEqual(saying(answer), { ...blank, text: blank.text.replace(unknown, name) });
  return answer;
}

const encode = encodeURIComponent;

/** Different ways to put a name into a path, and paths that might bypass the check of the channel. */
function pathsFor(before: string, name: string, after: string, victim: TestChannel): string[] {
  const path = `${before}/${encode(name)}${after}`;
  return [
    path,
    `${path}?channel_id=${victim.id}&channel=${victim.id}`,
    `${before}/${name.replaceAll(/[^/]/gu, (character) => encode(character))}${after}`,
    `${path}/`,
    `${before}/${victim.id}%2F${encode(name)}${after}`,
  ];
}

async function tryAll(pair: Pair, attempts: readonly Attempt[]): Promise<void> {
  const { victim, other, variants, run } = pair;
  const headers = { 'x-channel-id': String(victim.channel.id), 'x-forwarded-user': victim.recipient };
  const call = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
    other.channel.call(method, path, body, { ...headers, ...more });
  const own = new Set(Object.values(other.mapping));
  const hidden = [
    victim.recipient,
    victim.channel.api_key,
    ...variants.flatMap(({ code, product }, index) =>
      own.has(index) ? [] : [`"${code}"`, `"${product}"`, `${run} item ${index}"`],
    ),
  ];
  const etag = (await victim.channel.call('GET', '/inventory')).headers.get('etag') ?? '';
  const page = (await victim.channel.call('GET', '/inventory?limit=1')).json;
  const seen: HttpAnswer[] = [];

  for (const what of attempts) {
    switch (what.kind) {
      case 'lookup': {
        const ask = (sku: string) =>
          call('GET', pathsFor('/inventory', sku, '', victim.channel)[what.way] ?? '');
        const isOwn = Object.hasOwn(other.mapping, what.sku);
        seen.push(isOwn ? await ask(what.sku) : await assertSameAs(ask, what.sku, `no-${what.sku}`));
        if (isOwn && what.way === 0) await assertOwnNumbers(pair, what.sku, seen.at(-1) as HttpAnswer);
        break;
      }
      case 'list': {
        const tag = [etag, `"x", ${etag}`, etag.replace('W/', ''), '"nothing"'][what.tag] ?? '';
        const answer = await call('GET', '/inventory', undefined, { 'if-none-match': tag });
        if (answer.status === 304)
          assert.equal(answer.headers.get('etag'), etag, 'a 304 for the ETag of another list');
        else assertOwnList(pair, answer);
        seen.push(answer);
        break;
      }
      case 'many': {
        const answer = await call('POST', '/inventory/lookup', { skus: SKUS, channel_id: victim.channel.id });
        const mine = SKUS.filter((sku) => Object.hasOwn(other.mapping, sku));
        assert.deepEqual(
          answer.json.data.map((row: { sku: string }) => row.sku),
          mine,
        );
        for (const row of answer.json.data)
          await assertOwnNumbers(pair, row.sku, { ...answer, json: row as unknown });
        assert.deepEqual(
          answer.json.unknown,
          SKUS.filter((sku) => !mine.includes(sku)),
        );
        seen.push(answer);
        break;
      }
      case 'page': {
        const stolen = await call('GET', `/inventory?limit=1&cursor=${page.next_cursor}`);
        assert.equal(stolen.status, 422, stolen.text);
        const answer = await call('GET', `/inventory?limit=100&channel_id=${victim.channel.id}`);
        assertOwnList(pair, answer);
        seen.push(stolen, answer);
        break;
      }
      case 'changes': {
        // A token of another channel is treated like any unknown token, without saying whose it is.
        const answer = await call('GET', `/inventory?changes_since=${page.changes_since}`);
        assert.equal(answer.json.is_complete, true);
        assertOwnList(pair, answer);
        const parts = await call('GET', `/inventory?changes_since=${page.next_cursor}&limit=100`);
        assert.deepEqual(parts.json.data, answer.json.data);
        seen.push(answer, parts);
        break;
      }
      case 'order': {
        const { sku, quantity, is_backorder } = what;
        const ask = (name: string) =>
          call('POST', '/orders', {
            ...orderOf([{ sku: name, quantity, unit_price: 1 }], { is_backorder }),
            channel_id: victim.channel.id,
            channel: { id: victim.channel.id },
          });
        const isOwn = Object.hasOwn(other.mapping, sku);
        seen.push(isOwn ? await ask(sku) : await assertSameAs(ask, sku, `no-${sku}`));
        break;
      }
      case 'resend': {
        const order_number = victim.taken[what.order % victim.taken.length];
        if (order_number === undefined) break;
        const body = orderOf([{ sku: what.sku, quantity: 1, unit_price: 1 }]);
        const answer = await call('POST', '/orders', { ...body, order_number });
        // Contract 4.3.3a and 4.3.3b: a generic failure that reveals nothing, and only where a free number is accepted.
        const same = await call('POST', '/orders', body);
        assert.deepEqual(
          [answer.status, answer.text],
          same.status === 201
            ? [500, '{"error":"Something went wrong on our side."}']
            : [same.status, same.text],
        );
        seen.push(answer);
        break;
      }
      case 'report': {
        const order_number = victim.taken[what.order % victim.taken.length];
        if (order_number === undefined) break;
        const body = {
          status: what.status,
          tracking_number: 't',
          reason: 'r',
          channel_id: victim.channel.id,
        };
        const ask = (name: string) =>
          call('POST', pathsFor('/orders', name, '/status', victim.channel)[what.way] ?? '', body);
        const answer = await assertSameAs(ask, order_number, `${order_number}-no`);
        assert.equal(answer.status, 404, answer.text);
        seen.push(answer);
        break;
      }
    }
  }
  for (const { text } of seen)
    for (const secret of hidden)
      assert.ok(!text.includes(secret), `${secret} is disclosed in ${text.slice(0, 300)}`);
}

function assertOwnList({ other, variants }: Pair, { status, json }: HttpAnswer): void {
  assert.equal(status, 200);
  assert.deepEqual(
    Object.fromEntries(
      json.data.map((row: { sku: string; product_code: string }) => [row.sku, row.product_code]),
    ),
    Object.fromEntries(Object.entries(other.mapping).map(([sku, index]) => [sku, variants[index]?.code])),
  );
}

/** Contract 2.3.1 to 2.3.3, computed from the stored numbers of this channel and this variant only. */
async function assertOwnNumbers({ other, variants }: Pair, sku: string, { json }: HttpAnswer): Promise<void> {
  const result = await pool.query(
    `select least(
         greatest(0, s.quantity - s.unshipped - s.allocated - s.backordered) + coalesce(a.allocated_qty, 0),
         greatest(0, s.quantity - s.unshipped)) as available,
       greatest(0, coalesce(a.reserve_quota - a.backordered_qty, 0)) as reserve_remaining
     from variant v join stock s on s.variant_id = v.id
     left join allocation a on a.variant_id = v.id and a.channel_id = $1 where v.code = $2`,
    [other.channel.id, variants[other.mapping[sku] ?? 0]?.code],
  );
  assert.deepEqual(json, { sku, ...result.rows[0] });
}

test('with the key of another channel, no data of a channel can be read or changed', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      side,
      side,
      fc.array(attempt, { minLength: 10, maxLength: 30 }),
      async (a, b, attempts) => {
        const pair = await makePair(a, b);
        taken += pair.victim.taken.length;
        const before = await rowsOf(pair.victim.channel.id);
        await tryAll(pair, attempts);
        assert.deepEqual(await rowsOf(pair.victim.channel.id), before);
        // The victim itself can still read all of its orders.
        for (const order_number of pair.victim.taken) {
          const body = orderOf([{ sku: 'any', quantity: 1, unit_price: 1 }], { order_number });
          const { status, json } = await pair.victim.channel.call('POST', '/orders', body);
          assert.deepEqual([status, json.data.recipient_name], [200, pair.victim.recipient]);
        }
      },
    ),
    { numRuns: RUNS },
  );
  assert.ok(taken > 0, 'no order was accepted at all');
});
