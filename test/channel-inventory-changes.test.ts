// GET /inventory?changes_since=: a client that applies all changes has the current list, whichever process it asks,
// however late a transaction commits, and whenever the client started.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readsOn } from '../src/core/inventory/channel-reads.ts';
import { StockListCache } from '../src/core/inventory/stock-list-cache.ts';
import { StockPages } from '../src/features/stock-pages/pages.ts';
import { encodeBookmark } from '../src/features/stock-pages/bookmark.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { appendJournal, trimJournal } from '../src/core/journal/store.ts';
import { PipelinedConnection } from '../src/platform/database/pipelined-connection.ts';
import { assertCareful, assertInvalid } from './kit/answers.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { Follower, type ChangesAnswer } from './kit/follower.ts';
import { fixtures, must, orderOf, type TestChannel, type TestVariant } from '../verify/kit/fixtures.ts';
import { startTestService, type TestService } from '../verify/kit/service.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 4);

const database = await createDatabase();
const first = await startTestService({ database });
const second = await startTestService({ database });
const make = fixtures(first);

const client = await connect(database.adminUrl);
after(() => client.end());

async function tokenOf(service: TestService, channel: TestChannel): Promise<string> {
  const answer = await service.channel(channel.api_key)('GET', '/inventory?limit=1');
  assert.equal(answer.status, 200, answer.text);
  return answer.json.changes_since as string;
}

async function changesOf(
  service: TestService,
  channel: TestChannel,
  token: string,
  limit?: number,
): Promise<ChangesAnswer> {
  const query = `changes_since=${token}${limit === undefined ? '' : `&limit=${limit}`}`;
  const answer = await service.channel(channel.api_key)('GET', `/inventory?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assertCareful(answer);
  const keys = ['data', 'removed', 'changes_since', 'is_complete', 'has_more'];
  assert.deepEqual(Object.keys(answer.json), keys);
  return answer.json as ChangesAnswer;
}

const listOf = (service: TestService, channel: TestChannel) =>
  must(service.channel(channel.api_key)('GET', '/inventory'), 200);
const unmap = (channel: TestChannel, sku: string) =>
  must(first.admin('DELETE', `/channels/${channel.id}/mappings/${encodeURIComponent(sku)}`), 204);
const skusOf = ({ data }: ChangesAnswer) => data.map((row) => row.sku);

/** Changes physical stock as the back office does, in a transaction that the test controls. */
async function addStock(variant: TestVariant, n: number): Promise<void> {
  const { rows } = await client.query<{ variant_id: number }>(
    `with changed as (
       update stock s set quantity = quantity + $2 from variant v where v.id = s.variant_id and v.code = $1
       returning s.variant_id, s.quantity)
     insert into stock_movement (variant_id, delta, quantity_after, kind, actor)
     select variant_id, $2, quantity, 'adjustment', 'test' from changed returning variant_id`,
    [variant.code, n],
  );
  await appendJournal(client, { variant_ids: [rows[0]?.variant_id ?? 0] });
}

test('every kind of change is reported once, by the process that did not serve the change', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(5);
  const quiet = await make.map(channel, other);
  let token = await tokenOf(first, channel);
  const told = async (...expected: string[]) => {
    const answer = await changesOf(second, channel, token);
    token = answer.changes_since;
    const { is_complete, has_more } = answer;
    assert.deepEqual([skusOf(answer), is_complete, has_more], [expected, false, false]);
    const list = (await listOf(first, channel)) as { sku: string }[];
    assert.deepEqual(
      answer.data,
      list.filter((row) => expected.includes(row.sku)),
    );
    return answer.removed;
  };
  await told();
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
  await told(sku);
  await told();
  await make.setStock(variant, 50);
  await told(sku);
  await make.allocate(await make.channel(), variant, 7);
  await told(sku);
  await must(first.admin('PATCH', `/products/${variant.product}`, { name: 'Renamed' }), 200);
  await told(sku);
  const alias = await make.map(channel, variant, `${sku}-alias`);
  await told(alias);
  await make.map(channel, other, alias);
  await told(alias);
  await make.setStock(other, 6);
  await told(...[quiet, alias].toSorted());
  await unmap(channel, alias);
  assert.deepEqual(await told(), [alias]);
  assert.deepEqual(await told(), []);
});

test('a transaction that stays open across polls is reported to the oldest token and to every later one', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(5);
  const otherSku = await make.map(channel, other);
  const oldest = await tokenOf(first, channel);
  await client.query('begin');
  await addStock(variant, 7);
  const tokens = [oldest];
  for (const service of [first, second, first]) {
    await make.setStock(other, 5 + tokens.length);
    const answer = await changesOf(service, channel, tokens.at(-1) as string);
    assert.deepEqual(skusOf(answer), [otherSku], 'only the latest change, not the earlier ones again');
    tokens.push(answer.changes_since);
  }
  await client.query('commit');
  for (const token of tokens) {
    const answer = await changesOf(second, channel, token);
    assert.equal(answer.data.find((row) => row.sku === sku)?.quantity, 17);
  }
});

test('with a limit the whole list comes in parts, and both the token and the cursor continue it', async () => {
  const { channel, variant } = await make.setting(10);
  for (let n = 0; n < 6; n++) await make.map(channel, variant);
  const list = (await listOf(first, channel)) as { sku: string }[];
  const stale = await tokenOf(first, channel);
  // A change of mappings that does not say which ones changed.
  await appendJournal(client, { channel_ids: [channel.id] });
  const begun = await changesOf(second, channel, stale, 3);
  assert.deepEqual([begun.is_complete, begun.has_more, begun.data], [true, true, list.slice(0, 3)]);
  const next = await changesOf(first, channel, begun.changes_since, 3);
  assert.deepEqual([next.is_complete, next.has_more, next.data], [false, true, list.slice(3, 6)]);
  const last = await changesOf(second, channel, next.changes_since, 3);
  assert.deepEqual([last.is_complete, last.has_more, last.data], [false, false, list.slice(6)]);
  assert.deepEqual((await changesOf(first, channel, last.changes_since)).data, []);
  const page = await channel.call('GET', `/inventory?limit=9&cursor=${begun.changes_since}`);
  assert.deepEqual(page.json.data, list.slice(3));
});

test('many changes come in parts; a change between two parts is reported afterwards, even for an earlier SKU', async () => {
  const { channel, variant, sku: base } = await make.setting(10);
  const skus: string[] = [];
  for (let n = 0; n < 6; n++) skus.push(await make.map(channel, variant, `S${n}`));
  const early = await make.variant(3);
  await make.map(channel, early, 'EARLY');
  const token = await tokenOf(first, channel);
  await make.setStock(variant, 11);
  await unmap(channel, 'S1');
  const parts = [await changesOf(first, channel, token, 4)];
  // This SKU sorts before the position of the reader.
  await make.setStock(early, 4);
  for (let part = parts[0]; part?.has_more; part = parts.at(-1)) {
    parts.push(await changesOf(second, channel, part.changes_since, 4));
    assert.ok(parts.length < 5, 'the parts never end');
  }
  assert.deepEqual(parts.flatMap(skusOf), ['S0', ...skus.slice(2)].concat(base).toSorted());
  assert.deepEqual(
    parts.flatMap(({ removed }) => removed),
    ['S1'],
  );
  const afterwards = await changesOf(first, channel, parts.at(-1)?.changes_since ?? '');
  assert.deepEqual(skusOf(afterwards), ['EARLY']);
});

test('a token of another channel, of another era or of the future gets the whole list of the requesting channel', async () => {
  const { channel } = await make.setting(10);
  const stranger = await make.setting(20);
  const own = await listOf(first, channel);
  const token = await tokenOf(first, channel);
  const foreign = await tokenOf(first, stranger.channel);
  const fields = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
  const encoded = (changed: unknown[]) => Buffer.from(JSON.stringify(changed)).toString('base64url');
  const unknown = [
    foreign,
    encoded(fields.with(2, 'f'.repeat(32))),
    encoded(fields.with(3, '9000000000000000000:9000000000000000000:')),
    encoded([...fields.with(2, 'f'.repeat(32)), 'A', null]),
  ];
  for (const one of unknown) {
    const whole = await changesOf(second, channel, one);
    assert.deepEqual([whole.is_complete, whole.has_more, whole.data, whole.removed], [true, false, own, []]);
    assert.deepEqual((await changesOf(second, channel, one, 5)).data, own);
  }
  // As after a crash, or on a standby that took over.
  await client.query('truncate journal_era');
  assert.equal((await changesOf(first, channel, token)).is_complete, true);
  const anew = await tokenOf(second, channel);
  assert.equal((await changesOf(first, channel, anew)).is_complete, false);
});

test('a token that was never issued is 422', async () => {
  const { channel } = await make.setting(1);
  const token = await tokenOf(first, channel);
  const fields = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
  const encoded = (changed: unknown) => Buffer.from(JSON.stringify(changed)).toString('base64url');
  const snapshots = [
    '',
    '5',
    '5:4:',
    '0:1:',
    '5:9:4',
    '5:9:9',
    '5:9:7,6',
    '5:9:7,7',
    '5:9:x',
    ' 5:9:',
    '-5:9:',
  ];
  for (const bad of [
    '',
    'x',
    '%00',
    'ｔｏｋｅｎ',
    `${token}x`,
    token.slice(0, -1),
    encoded(null),
    encoded({}),
    encoded([]),
    encoded(fields.slice(0, 3)),
    encoded([...fields, 'A']),
    encoded(fields.with(1, 1.5)),
    encoded(fields.with(2, 'F'.repeat(32))),
    ...snapshots.map((snapshot) => encoded(fields.with(3, snapshot))),
    ...snapshots.map((snapshot) => encoded([...fields, 'A', snapshot])),
    `${token}&changes_since=${token}`,
  ])
    assertInvalid(await channel.call('GET', `/inventory?changes_since=${bad}`), 'changes_since');
  for (const limit of ['0', '10001', 'x'])
    assertInvalid(await channel.call('GET', `/inventory?changes_since=${token}&limit=${limit}`), 'limit');
});

test('a change that commits while the first page or a whole list is read is in it or is reported afterwards', async () => {
  const { channel, variant } = await make.setting(10);
  const { pool } = first.service.services;
  let quantity = 10;
  let moving = '';
  /** Changes the stock once, right after the statement named `moving`. */
  const restless: Tx = {
    async query(config) {
      const result = await pool.query(config);
      if (config.name === moving) {
        moving = '';
        quantity += 1;
        await make.setStock(variant, quantity);
      }
      return result;
    },
  };
  const read = <T>(query: (tx: Tx) => Promise<T>): Promise<T> => query(restless);
  const unknown = { channel_id: 0, moment: { era: '', snapshot: '1:1:' }, part: null };
  for (const name of ['journal_moment', 'journal_read', 'inventory_list']) {
    const pages = new StockPages(read, new StockListCache(read, read));
    for (const begin of [
      () => pages.page(channel.id, 5, null).then((page) => [page.rows, page.changes] as const),
      () => pages.changes(channel.id, 5, unknown).then((whole) => [whole.rows, whole.next] as const),
      () => pages.changes(channel.id, null, unknown).then((whole) => [whole.rows, whole.next] as const),
    ]) {
      moving = name;
      const [rows, bookmark] = await begin();
      const seen = JSON.parse(Buffer.concat([...rows]).toString('utf8')) as { quantity: number };
      const { data } = await changesOf(second, channel, encodeBookmark(bookmark));
      assert.equal(data[0]?.quantity ?? seen.quantity, quantity, `moved after ${name}`);
    }
  }
});

test('clients can follow an empty channel, and lists that the cache drops immediately', async () => {
  const channel = await make.channel();
  const follower = new Follower(first.channel(channel.api_key), await tokenOf(first, channel));
  await follower.poll();
  assert.equal(follower.rows.size, 0);
  const sku = await make.map(channel, await make.variant(4));
  await follower.poll();
  assert.deepEqual([...follower.rows.keys()], [sku]);

  const sessions = [
    new PipelinedConnection(database.url, 'sluice-test'),
    new PipelinedConnection(database.url, 'sluice-test'),
  ] as const;
  const [short, long] = [readsOn(sessions[0]), readsOn(sessions[1])];
  const pages = new StockPages(long, new StockListCache(short, long, 1));
  const settings = await Promise.all([make.setting(1), make.setting(2)]);
  for (const quantity of [5, 6]) {
    for (const { channel: one, variant } of settings) {
      await make.setStock(variant, quantity);
      const unknown = { channel_id: one.id, moment: { era: '', snapshot: '1:1:' }, part: null };
      const { rows, is_complete } = await pages.changes(one.id, null, unknown);
      assert.equal(is_complete, true);
      assert.equal(JSON.parse(Buffer.concat([...rows]).toString('utf8')).quantity, quantity);
    }
  }
  await Promise.all(sessions.map((session) => session.close()));
});

test('pages read during concurrent changes, plus the changes since the first page, are the current list', async () => {
  const channel = await make.channel();
  const variants = [await make.variant(9_000), await make.variant(9_000), await make.variant(9_000)];
  const mappings = Array.from({ length: 90 }, (_, n) => ({
    sku: `S${String(n).padStart(3, '0')}`,
    variant_code: (variants[n % 3] as TestVariant).code,
  }));
  await must(first.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
  const follower = new Follower(first.channel(channel.api_key), null);
  const moving = (async () => {
    for (let n = 0; n < 15; n++) {
      const sku = `S${String((n * 37) % 90).padStart(3, '0')}`;
      await second.channel(channel.api_key)(
        'POST',
        '/orders',
        orderOf([{ sku, quantity: 1, unit_price: 1 }]),
      );
      await make.map(channel, variants[n % 3] as TestVariant, `S0${n}-new`);
      await unmap(channel, `S${String((n * 6) % 90).padStart(3, '0')}`);
    }
  })();
  do await follower.poll(7);
  while (follower.hasMore);
  await moving;
  await follower.poll();
  assert.deepEqual(follower.list, await listOf(second, channel));
});

test('changes that were trimmed from the journal before they were reported: the client gets the whole list', async () => {
  const { channel, variant } = await make.setting(10);
  await client.query('begin');
  await addStock(variant, 1);
  const token = await tokenOf(first, channel);
  await client.query('commit');
  await trimJournal(client, 0);
  const answer = await changesOf(second, channel, token);
  assert.deepEqual([answer.is_complete, answer.data], [true, await listOf(first, channel)]);
  // Whole lists are sent only until the transactions of that time have ended, including those of other databases.
  let next = answer;
  while (next.is_complete) next = await changesOf(first, channel, next.changes_since);
  assert.deepEqual(next.data, []);
});

const SKUS = ['A', 'B', 'B/2', 'C"', '가', '😀'] as const;
const VARIANTS = 3;
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('map' as const),
      sku: fc.constantFrom(...SKUS),
      variant: fc.nat(VARIANTS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unmap' as const), sku: fc.constantFrom(...SKUS) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('stock' as const),
      variant: fc.nat(VARIANTS - 1),
      quantity: fc.nat(50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('allocate' as const),
      variant: fc.nat(VARIANTS - 1),
      own: fc.boolean(),
      quantity: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      sku: fc.constantFrom(...SKUS),
      at: fc.nat(1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('untold' as const, 'trim' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      who: fc.nat(2),
      at: fc.nat(1),
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Run {
  /** The last variant is changed only by the held transaction. */
  readonly variants: TestVariant[];
  readonly channel: TestChannel;
  readonly other: TestChannel;
  /** The index of the variant that a SKU is mapped to. */
  readonly mapped = new Map<string, number>();
  readonly followers: Follower[];
  isHeld = false;

  private constructor(variants: TestVariant[], channel: TestChannel, other: TestChannel) {
    this.variants = variants;
    this.channel = channel;
    this.other = other;
    this.followers = [0, 1, 2].map(() => new Follower(first.channel(channel.api_key), null));
  }

  static async make(): Promise<Run> {
    const variants: TestVariant[] = [];
    for (let n = 0; n <= VARIANTS; n++) variants.push(await make.variant(20));
    const other = await make.channel();
    for (const [n, variant] of variants.entries()) await make.map(other, variant, SKUS[n]);
    return new Run(variants, await make.channel(), other);
  }

  /** Begins a transaction that changes stock, or commits the one that is open. */
  async late(): Promise<void> {
    if (this.isHeld) await client.query('commit');
    else {
      await client.query('begin');
      await addStock(this.variants[VARIANTS] as TestVariant, 1);
    }
    this.isHeld = !this.isHeld;
  }

  async do(what: Step): Promise<void> {
    const { channel, variants, mapped } = this;
    switch (what.kind) {
      case 'map':
        await make.map(channel, variants[what.variant] as TestVariant, what.sku);
        mapped.set(what.sku, what.variant);
        break;
      case 'unmap':
        if (mapped.delete(what.sku)) await unmap(channel, what.sku);
        break;
      case 'stock':
        await make.setStock(variants[what.variant] as TestVariant, what.quantity);
        break;
      case 'allocate':
        await make.allocate(
          what.own ? channel : this.other,
          variants[what.variant] as TestVariant,
          what.quantity,
        );
        break;
      case 'order': {
        // An order for the held variant would wait for the open transaction.
        if (mapped.get(what.sku) === VARIANTS) break;
        const service = [first, second][what.at] as TestService;
        const order = orderOf([{ sku: what.sku, quantity: 1, unit_price: 1 }]);
        await service.channel(channel.api_key)('POST', '/orders', order);
        break;
      }
      case 'late':
        await this.late();
        break;
      case 'untold':
        if (!this.isHeld) await appendJournal(client, { channel_ids: [channel.id] });
        break;
      case 'trim':
        if (!this.isHeld) await trimJournal(client, 0);
        break;
      case 'poll':
        await this.poll(what.who, what.at, what.limit);
        break;
    }
  }

  async poll(who: number, at: number, limit: number | null): Promise<void> {
    const follower = this.followers[who] as Follower;
    follower.ask = ([first, second][at] as TestService).channel(this.channel.api_key);
    await follower.poll(limit ?? undefined);
    if (follower.isUpToDate) assert.deepEqual(follower.list, await listOf(first, this.channel));
  }
}

test('a client that follows the changes always has the current list, with any changes, polls, processes and late commits', async () => {
  let parts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 45, size: 'max' }), async (steps) => {
      const run = await Run.make();
      try {
        for (const what of steps) await run.do(what);
      } finally {
        if (run.isHeld) await run.late();
      }
      for (const [who, follower] of run.followers.entries()) {
        do await run.poll(who, who % 2, 2);
        while (follower.hasMore);
        await run.poll(who, 1 - (who % 2), null);
        assert.deepEqual(follower.list, await listOf(second, run.channel));
        parts += follower.polls;
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(parts > RUNS, 'no follower polled');
});
