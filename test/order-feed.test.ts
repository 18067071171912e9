// GET /admin/v1/orders/changes: a reader that polls it gets every step of every order, once and in order, with any number
// of concurrent writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  snapshotUpTo,
  isSnapshotBefore,
  isSeen,
  SNAPSHOT_TRANSACTIONS_MAX,
  snapshotInShort,
  parseSnapshot,
  snapshotText,
  type SeenTransactions,
} from '../src/core/journal/snapshot-rules.ts';
import { TOKEN_CHARACTERS_MAX } from '../src/core/channel-api/schemas.ts';
import { orderChangesIn } from '../src/features/order-feed/feed.ts';
import { planned } from '../src/platform/database/database.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { parsePosition, positionText, type FeedPosition } from '../src/features/order-feed/store.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService } from '../verify/kit/service.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);

interface Change {
  id: number;
  changed_at: string;
  recipient_phone: string;
  items: { variant_code: string; quantity: number }[];
  order_number: string;
  status: number;
  previous_status: number | null;
}
interface Answer {
  data: Change[];
  next: string;
  has_more: boolean;
}

async function changes(asked: string, token?: string): Promise<Answer> {
  const { status, text, json } = await first.admin('GET', `/orders/changes${asked}`, undefined, token);
  assert.equal(status, 200, text);
  return json as Answer;
}

/** Applies the steps that a reader receives. */
class Reader {
  readonly steps: Change[] = [];
  #since: string | undefined;

  constructor(since?: string) {
    this.#since = since;
  }

  async poll(limit = 7): Promise<Answer> {
    const since = this.#since === undefined ? '' : `&since=${this.#since}`;
    const answer = await changes(`?limit=${limit}${since}`);
    assert.ok(answer.data.length <= limit);
    this.steps.push(...answer.data);
    this.#since = answer.next;
    return answer;
  }

  async readAll(limit?: number): Promise<this> {
    while ((await this.poll(limit)).has_more);
    return this;
  }

  walks(): Map<number, (number | null)[]> {
    const walks = new Map<number, (number | null)[]>();
    for (const { id, status, previous_status } of this.steps) {
      const walk = walks.get(id) ?? [null];
      assert.equal(walk.at(-1), previous_status, `order ${id}: no step is missing, repeated or out of order`);
      walks.set(id, [...walk, status]);
    }
    return walks;
  }
}

/** The walks in the database. */
async function storedWalks(): Promise<Map<number, (number | null)[]>> {
  const rows = await query<{ order_id: string; walk: number[] }>(
    database.adminUrl,
    `select order_id, array_agg(to_status order by array_position('{0,1,2,9,3,88}'::smallint[], to_status)) as walk
     from order_history group by order_id`,
  );
  return new Map(rows.map(({ order_id, walk }) => [Number(order_id), [null, ...walk]]));
}

const sorted = <T>(walks: Map<number, T>): [number, T][] => [...walks].toSorted(([a], [b]) => a - b);

test('a snapshot can be parsed from its text, and every prefix of a snapshot is contained in it', () => {
  const snapshots = fc
    .tuple(fc.integer({ min: 3, max: 1000 }), fc.uniqueArray(fc.integer({ min: 3, max: 999 })))
    .map(([end, running]): SeenTransactions => ({
      end,
      running: running.filter((id) => id < end).toSorted((a, b) => a - b),
    }));
  fc.assert(
    fc.property(snapshots, fc.nat(1000), fc.nat(1000), (snapshot, cut, xid) => {
      assert.deepEqual(parseSnapshot(snapshotText(snapshot)), snapshot);
      const end = Math.min(Math.max(cut, 3), snapshot.end);
      const start = snapshotUpTo(snapshot, end);
      assert.equal(isSnapshotBefore(start, snapshot), true);
      assert.equal(isSeen(xid, start), xid < end && isSeen(xid, snapshot));
    }),
  );
  for (const text of [
    '',
    ':',
    '5',
    '5:5',
    '5:6',
    '9:4,4',
    '9:5,4',
    '9:2',
    '1e3:',
    '99999999999999999:',
    '9:4,',
    ' 9:',
  ])
    assert.equal(parseSnapshot(text), null, text);
});

test('a token stays below the limit of a request, however many transactions are running, and leaves out none that it has not seen', () => {
  const start = 8_000_000_000_000_000;
  const running = Array.from({ length: 5_000 }, (_, n) => start + 2 * n);
  const now = { end: start + 10_000, running };
  const short = snapshotInShort(now);
  assert.equal(short.running.length, SNAPSHOT_TRANSACTIONS_MAX);
  assert.equal(isSnapshotBefore(short, now), true);
  for (const xid of [start - 1, start, start + 1, start + 9_999])
    assert.ok(!isSeen(xid, short) || isSeen(xid, now), String(xid));
  assert.deepEqual(snapshotInShort({ end: 9, running: [4, 5] }), { end: 9, running: [4, 5] });
  const after = { order_id: Number.MAX_SAFE_INTEGER, rank: 5 };
  const text = positionText({ old: null, seen: short, window: { until: short, after } });
  const token = Buffer.from(`${'f'.repeat(32)}/${text}`).toString('base64url');
  assert.ok(token.length < TOKEN_CHARACTERS_MAX, `${token.length} characters`);
});

test('a position can be parsed from its text, and malformed texts are refused', () => {
  const seen = { end: 9, running: [4, 7] };
  const positions: FeedPosition[] = [
    { old: { order_id: 0, rank: -1 }, seen, window: null },
    { old: null, seen, window: null },
    { old: null, seen, window: { until: { end: 12, running: [7, 10] }, after: { order_id: 5, rank: 3 } } },
  ];
  for (const position of positions) assert.deepEqual(parsePosition(positionText(position)), position);
  for (const text of ['', '/', '/9:/', '/9:/8:/1:1', '/9:4/12:3/1:1', 'x/9:', '/9:/12:/1'])
    assert.equal(parsePosition(text), null, text);
});

test('readers that poll while two services accept, update, ship and cancel orders get exactly the stored steps', async () => {
  const { channel, sku } = await make.setting(1_000);
  const parties = [first, second].map((service) => service.channel(channel.api_key));
  let writing = true;
  const write = async (index: number): Promise<void> => {
    const call = parties[index % 2] ?? assert.fail();
    for (let n = 0; n < 12; n++) {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: n % 2 });
      const { id } = await must(call('POST', '/orders', order), 201);
      const path = `/orders/${order.order_number}/status`;
      if (n % 4 === 0) await must(call('POST', path, { status: 3, tracking_number: 't' }), 200);
      if (n % 4 === 1) await must(second.admin('POST', `/orders/${id}/status`, { status: 2 }), 200);
      if (n % 4 === 1) await must(call('POST', path, { status: 88, reason: 'r' }), 200);
    }
  };
  const poll = async (limit: number): Promise<Reader> => {
    const reader = new Reader();
    while (writing) await reader.poll(limit);
    return reader.readAll(limit);
  };
  const readers = [1, 7, 500].map(poll);
  await Promise.all(Array.from({ length: 6 }, (_, index) => write(index)));
  writing = false;
  const stored = sorted(await storedWalks());
  for (const reader of await Promise.all(readers)) assert.deepEqual(sorted(reader.walks()), stored);
});

test('a change that commits late is delivered late, and does not delay other changes', async () => {
  const [slow, quick] = [await make.setting(10), await make.setting(10)];
  await make.allocate(slow.channel, slow.variant, 0, 5);
  const { next } = await changes('?since=now');
  const reader = new Reader(next);
  const taken: string[] = [];
  const take = async (): Promise<void> => {
    const order = orderOf([{ sku: quick.sku, quantity: 1, unit_price: 1 }]);
    await must(quick.channel.call('POST', '/orders', order), 201);
    taken.push(order.order_number);
  };
  await take();
  const holder = await openTransaction(
    database.adminUrl,
    `select from allocation where channel_id = ${slow.channel.id} for update`,
  );
  // This intake has written its order, and waits for the row of the allocation.
  const late = orderOf([{ sku: slow.sku, quantity: 1, unit_price: 1 }], { is_backorder: true });
  const pending = second.channel(slow.channel.api_key)('POST', '/orders', late);
  await untilWaiting(database.adminUrl, 1);
  await take();
  await take();
  const all = await new Reader(next).readAll(2);
  assert.deepEqual(new Set(all.steps.map(({ order_number }) => order_number)), new Set(taken));
  // This reader is between two pages when the late order commits.
  assert.equal((await reader.poll(1)).has_more, true);
  await holder.end();
  await must(pending, 201);
  for (const each of [reader, all]) {
    await each.readAll(1);
    assert.deepEqual(
      new Set(each.steps.map(({ order_number }) => order_number)),
      new Set([...taken, late.order_number]),
    );
    each.walks();
  }
});

test('the steps of an order are delivered in order, also if a transaction with a lower id made the later one', async () => {
  const { channel, sku } = await make.setting(100);
  for (const limit of [1, 2, 7]) {
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
    const { id } = await must(channel.call('POST', '/orders', order), 201);
    const { next } = await changes('?since=now');
    // It has its id, and then waits for the order.
    const later = await connect(database.tamperUrl);
    await later.query('begin');
    await later.query('select pg_current_xact_id()');
    // More than the first window covers.
    await Promise.all(
      Array.from({ length: 50 }, () => query(database.adminUrl, 'select pg_current_xact_id()')),
    );
    await must(channel.call('POST', `/orders/${order.order_number}/status`, { status: 1 }), 200);
    await later.query('update orders set status = 2 where id = $1', [id]);
    await later.query(
      `insert into order_history (order_id, from_status, to_status, source) values ($1, 1, 2, 'channel')`,
      [id],
    );
    await later.query('commit');
    await later.end();
    const reader = await new Reader(next).readAll(limit);
    const steps = reader.steps.filter((step) => step.id === id).map(({ status }) => status);
    assert.deepEqual(steps, [1, 2]);
  }
});

test('steps stored without a transaction id are delivered first, page by page', async () => {
  const tamper = await connect(database.tamperUrl);
  await tamper.query('set session_replication_role = replica');
  await tamper.query(
    'update order_history set xid = null where order_id <= (select percentile_disc(0.5) within group (order by id) from orders)',
  );
  await tamper.end();
  const stored = sorted(await storedWalks());
  for (const limit of [1, 5, 500])
    assert.deepEqual(sorted((await new Reader().readAll(limit)).walks()), stored, String(limit));
});

test('an order that follows more unrelated transactions than one window covers is delivered at the next poll', async () => {
  const { channel, sku } = await make.setting(10);
  const { next } = await changes('?since=now');
  const client = await connect(database.adminUrl);
  for (let n = 0; n < 600; n++) await client.query('select pg_current_xact_id()');
  await client.end();
  const { id } = await must(
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    201,
  );
  const { data } = await changes(`?since=${next}`);
  assert.equal(data[0]?.id, id);
});

test('a poll reads only the new part of a long history, even if the table statistics say that it is short', async () => {
  const { channel, sku } = await make.setting(10);
  const { next: since } = await changes('?since=now');
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  await database.tamper('alter table order_history set (autovacuum_enabled = off)');
  const earlier = `insert into order_history (order_id, to_status, source, xid)
                   select n, 0, 'channel', 3 from generate_series(1000001, 1040000) n`;
  await database.tamper(earlier);
  try {
    await database.tamper(`select brin_summarize_new_values('order_history_by_xid')`);
    const { read, found } = await inTransaction(first.service.services.pool, async (tx) => {
      // Includes reads by this connection in the previous second that are not yet in the statistics of the server.
      const readSoFar = async (): Promise<number> => {
        const [row] = await planned<{ read: number }>(
          tx,
          `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'order_history'`,
          [],
        );
        return row?.read ?? Infinity;
      };
      const before = await readSoFar();
      const polled = await orderChangesIn(tx, { since, limit: 100 });
      const changed = polled?.changes.map((change) => change.order.id);
      return { read: (await readSoFar()) - before, found: changed };
    });
    assert.deepEqual(found, [id]);
    assert.ok(read < 20_000, `${read} of 40,000 steps were read`);
  } finally {
    await database.tamper('delete from order_history where order_id > 1000000');
  }
});

test('a change contains the order with its new status; a viewer sees no personal data', async () => {
  const { channel, sku, variant } = await make.setting(10);
  const { next } = await changes('?since=now');
  const order = orderOf([{ sku, quantity: 2, unit_price: 5 }], {
    status: 1,
    recipient_phone: '010-1234-5678',
  });
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  await must(channel.call('POST', `/orders/${order.order_number}/status`, { status: 2 }), 200);
  const { steps: data } = await new Reader(next).readAll();
  assert.deepEqual(
    data.map((change) => [change.id, change.previous_status, change.status]),
    [
      [id, null, 1],
      [id, 1, 2],
    ],
  );
  assert.equal(data[0]?.recipient_phone, '010-1234-5678');
  assert.deepEqual(
    data[0]?.items.map((item) => [item.variant_code, item.quantity]),
    [[variant.code, 2]],
  );
  assert.match(data[0]?.changed_at ?? '', /^\d{4}-\d\d-\d\dT.*\+09:00$/);
  const { token } = await must(first.admin('POST', '/tokens', { name: 'feed-viewer', role: 'viewer' }), 201);
  const masked = await changes(`?since=${next}`, token);
  assert.equal(masked.data[0]?.recipient_phone, '***-****-5678');
});

test('a malformed token, a token of another database and a token of the future are refused', async () => {
  const { next } = await changes('?since=now');
  const text = Buffer.from(next, 'base64url').toString();
  const tokens = ['x', 'bm93', Buffer.from(text.replace(/^\w/, 'g')).toString('base64url')];
  const [place] = text.split('/');
  tokens.push(Buffer.from(`${place}//999999999:`).toString('base64url'));
  for (const since of tokens) {
    const { status, json } = await first.admin('GET', `/orders/changes?since=${since}`);
    assert.equal(status, 422, since);
    assert.match(json.message, /not a token of this database/);
  }
});
