// Order search compared with a naive filter while orders are created, shipped and erased; masking for viewers; sorting
// and totals.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eraseBatch, eraseOrder } from '../src/features/erasure/changes.ts';
import { searchedTexts } from '../src/core/orders/search-rules.ts';
import { maskAddress, maskName, maskNumber } from '../src/core/rules/personal-data.ts';
import { OrderIndexer } from '../src/core/orders/search-indexer.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { lockSearchIndex, indexOrders, startSearchOver } from '../src/core/orders/search-index-store.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { desk, fieldsRefused } from './kit/desk.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, token, pages } = desk(service);
const { pool, orderIndexer } = service.service.services;
const BY = { actor: 'test', request_id: null };

interface Found {
  id: number;
  order_number: string;
  recipient_name: string;
  tracking_number: string | null;
}

/** All pages, after the index has caught up. */
async function found(search: string, more = ''): Promise<Found[]> {
  await orderIndexer.catchUp();
  return (await pages(`/orders?search=${encodeURIComponent(search)}${more}`, 500)) as Found[];
}
const numbers = async (search: string, more = ''): Promise<string[]> =>
  (await found(search, more)).map(({ order_number }) => order_number);

async function place(
  channel: { call: typeof service.channel extends (key: any) => infer C ? C : never },
  skus: string[],
  fields: object = {},
) {
  const body = orderOf(
    skus.map((sku) => ({ sku, quantity: 1, unit_price: 1000 })),
    fields,
  );
  const { id } = await must(channel.call('POST', '/orders', body), 201);
  return { id: id as number, ...body };
}

describe('GET /orders?search=', () => {
  test('finds an order by a part of each of its texts, ignoring case', async () => {
    const channel = await make.channel();
    const variant = await make.variant(100, { code: unique('Lens-Blue') });
    const sku = await make.map(channel, variant, unique('Shop.90.750'));
    const person = { recipient_name: '남궁민수', recipient_phone: '+82 (0)10-9876.5432' };
    const { id, order_number } = await place(channel, [sku], {
      order_number: unique('MALL-가나다'),
      ...person,
    });
    await must(
      admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'CJ-77-Abc-123456' }),
      200,
    );
    for (const search of [
      order_number,
      order_number.slice(2, -1),
      order_number.toLowerCase(),
      '나다',
      '궁민',
      '남궁민수',
      '9876',
      '010-9876',
      '010 9876 5432',
      '0109876',
      '77-abc-1234',
      sku.slice(3).toUpperCase(),
      variant.code.slice(1).toLowerCase(),
      ` ${variant.code} `,
    ])
      assert.deepEqual(await numbers(search), [order_number], search);
    for (const search of ['남궁 민수', '98765433', `${sku}x`, 'zzz', '민수 9876', '%%%', '___'])
      assert.deepEqual(await numbers(search), [], search);
    const own = `&channel_id=${channel.id}`;
    assert.deepEqual(await numbers('궁민', `${own}&status=1,3`), [order_number]);
    assert.deepEqual(await numbers('궁민', `${own}&status=1,2`), []);
    assert.deepEqual(await numbers('궁민', '&to=2020-01-01'), []);
    assert.deepEqual(await numbers('궁민', `&channel_id=${channel.id + 1_000_000}`), []);
  });

  test('case is ignored beyond ASCII too, and orders that an earlier version indexed are found as they are written', async () => {
    const { channel, sku } = await make.setting(10);
    const { id, order_number } = await place(channel, [sku], { recipient_name: 'Łukasz Žižek' });
    for (const search of ['Łukasz', 'łukasz', 'ŁUKASZ', 'Žiž', 'žižek', 'ŽIŽEK'])
      assert.deepEqual(await numbers(search), [order_number], search);
    await service.database.tamper(
      `update order_search set content = replace(content, 'łukasz', 'Łukasz') where order_id = $1`,
      [id],
    );
    for (const search of ['Łukasz', 'Łuk', 'kasz ž'])
      assert.deepEqual(await numbers(search), [order_number], search);
  });

  test('a complete order number is found before the order is indexed', async () => {
    const { channel, sku } = await make.setting(10);
    const { order_number } = await place(channel, [sku]);
    const rows = await must(admin('GET', `/orders?search=${order_number}`), 200);
    assert.deepEqual(
      rows.map((row: Found) => row.order_number),
      [order_number],
    );
  });

  test('a search that is too short or too long is a validation error', async () => {
    for (const search of ['', 'a', 'ab', '12', '가', ' 1- ', 'x'.repeat(101), '%00abc'])
      assert.deepEqual(await fieldsRefused(admin('GET', `/orders?search=${search}`)), ['search'], search);
    assert.deepEqual(await fieldsRefused(admin('GET', '/orders/totals?search=ab')), ['search']);
  });

  test('order_search_grams returns the same substrings as in its first migration, so that existing indexes stay valid', async () => {
    const migration = await readFile(new URL('../migrations/0013_order_search.sql', import.meta.url), 'utf8');
    const [before] = /create function order_search_grams[^]*?^\$\$;/m.exec(migration) ?? [];
    assert.ok(before !== undefined);
    const text = fc.string({ unit: fc.constantFrom('a', '1', '-', ' ', '\n', '\n', '가', '민', 'é', '😀') });
    const texts = [...fc.sample(text, 300), ...fc.sample(fc.string({ unit: 'binary-ascii' }), 50)].map(
      (one) => one.replaceAll('\0', ''),
    );
    const client = await connect(service.database.adminUrl);
    try {
      await client.query(before.replace('order_search_grams', 'pg_temp.grams_before'));
      const { rows } = await client.query(
        `select t.text from unnest($1::text[]) with ordinality as t (text, n)
         where (select array_agg(g order by g) from unnest(order_search_grams(n >> 2, t.text)) g)
           is distinct from (select array_agg(g order by g) from unnest(pg_temp.grams_before(n >> 2, t.text)) g)`,
        [texts],
      );
      assert.deepEqual(rows, []);
    } finally {
      await client.end();
    }
  });

  test('the indexer takes small batches while many requests come in, otherwise large ones', async () => {
    for (const [perLook, step] of [
      [1_000_000, 20],
      [0, 120],
    ] as const) {
      const database = await createDatabase();
      const separate = createPool(database.url);
      await database.tamper(
        `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone, shipping_address,
           local_currency_code, local_total_amount, total_amount, exchange_rate)
         select n, 1, 'N' || n, 1, false, '', '', '', 'KRW', 0, 0, 1 from generate_series(1, 120) n`,
      );
      let answered = 0;
      const indexer = new OrderIndexer(
        separate,
        () => (answered += perLook),
        (error) => assert.fail(String(error)),
      );
      indexer.start();
      // Each step is a transaction.
      const steps = async (): Promise<number[]> =>
        (
          await separate.query<{ count: number }>(
            'select count(*)::int as count from order_search group by xmin::text::bigint order by min(order_id)',
          )
        ).rows.map(({ count }) => count);
      await until(async () => (await steps()).length > 0, 'the first step');
      assert.equal((await steps())[0], step);
      await indexer.close();
      await separate.end();
      await database.drop();
    }
  });

  test('an index step reads only its own orders, even without planner statistics for the index tables', async () => {
    const { channel, sku } = await make.setting(10);
    const { id } = await place(channel, [sku]);
    const far = 2_000_000_000;
    const client = await connect(service.database.tamperUrl);
    try {
      await client.query(
        `insert into orders select ${far} + n, channel_id, order_number || n, status, is_backorder, recipient_name, recipient_phone,
           shipping_address, tracking_number, courier_code, courier_name, cancel_reason, local_currency_code,
           local_total_amount, total_amount, exchange_rate, created_at from orders, generate_series(1, 20000) n where id = $1`,
        [id],
      );
      await client.query(
        `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price)
         select ${far} + n, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price
         from order_item, generate_series(1, 20000) n where order_id = $1`,
        [id],
      );
      await client.query(
        `insert into variant (product_id, code) select product_id, code || '-' || n
         from (select * from variant order by id limit 1) v, generate_series(1, 20000) n`,
      );
      await client.query('analyze orders, variant');
      await inTransaction(pool, startSearchOver);
      /** Sequential scans of the table in one index step, in a transaction with this setting. */
      const scansOf = (table: string, setting: string) =>
        inTransaction(pool, async (tx) => {
          const text = `select seq_scan::int as scans from pg_stat_xact_user_tables where relname = '${table}'`;
          const scansNow = async (): Promise<number> => (await tx.query({ text })).rows[0].scans;
          await tx.query({ text: setting });
          // Otherwise the step is skipped while the indexer of the service takes one.
          await lockSearchIndex(tx);
          const before = await scansNow();
          const { count } = await indexOrders(tx);
          return { count, scans: (await scansNow()) - before };
        });
      // A high page cost stands for a table that is much larger than in a test.
      const orders = await scansOf('orders', 'set local seq_page_cost = 100');
      assert.deepEqual(orders, { count: 1_000, scans: 0 });
      // Without nested loops, as with many lines per order: a join would scan all variants.
      const variants = await scansOf('variant', 'set local enable_nestloop = off');
      assert.deepEqual(variants, { count: 1_000, scans: 0 });
    } finally {
      await client.query(`delete from order_item where order_id > ${far}`);
      await client.query('delete from variant where id not in (select variant_id from stock)');
      await client.query(`delete from orders where id > ${far}`);
      await client.query(`delete from order_search where order_id > ${far}`);
      await client.end();
    }
  });

  test('the response contains the time up to which orders are indexed', async () => {
    await orderIndexer.catchUp();
    const answer = await admin('GET', '/orders?search=nothing-like-that');
    assert.match(answer.json.indexed_until, /^\d{4}-.*\+09:00$/);
    assert.equal('indexed_until' in (await admin('GET', '/orders')).json, false);
  });

  test('an erased order is found only by its number and codes, and the index contains none of its personal data', async () => {
    const { channel, variant, sku } = await make.setting(10);
    const { id, order_number } = await place(channel, [sku], {
      recipient_name: '독고영재',
      recipient_phone: '010-5550-1234',
    });
    await must(admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'ERASE-ME-1' }), 200);
    assert.deepEqual(await numbers('독고'), [order_number]);
    await inTransaction(pool, (tx) => eraseOrder(tx, BY, { order_number, dry_run: false }));
    const { rows } = await pool.query('select content from order_search where order_id = $1', [id]);
    assert.deepEqual(rows, [{ content: [order_number, sku, variant.code].join('\n').toLowerCase() }]);
    for (const search of ['독고', '5550', 'erase-me', 'erased'])
      assert.deepEqual(await numbers(search), [], search);
    assert.deepEqual(await numbers(order_number.slice(1)), [order_number]);
  });

  test('an erasure locks the search index: the indexer skips its step, and erased data is not indexed', async () => {
    const { channel, sku } = await make.setting(10);
    const { id, order_number } = await place(channel, [sku], { recipient_name: '제갈공명' });
    await must(admin('POST', `/orders/${id}/status`, { status: 88 }), 200);
    await inTransaction(pool, async (tx) => {
      await eraseOrder(tx, BY, { order_number, dry_run: false });
      assert.equal((await inTransaction(pool, (inner) => indexOrders(inner))).outcome, 'busy');
    });
    const retention = { older_than_days: 0, channel_id: channel.id };
    await inTransaction(pool, async (tx) => {
      await eraseBatch(tx, BY, { retention, cutoff: new Date(), afterId: 0 });
      assert.equal((await inTransaction(pool, (inner) => indexOrders(inner))).outcome, 'busy');
    });
    await orderIndexer.catchUp();
    const { rows } = await pool.query('select content from order_search where order_id = $1', [id]);
    assert.doesNotMatch(rows[0].content, /제갈/);
  });

  test('orders of a transaction that commits late are found, and so are the orders of a copied database', async () => {
    const { channel, sku } = await make.setting(10);
    const early = await place(channel, [sku], { recipient_name: '선우일란' });
    const client = await connect(service.database.tamperUrl);
    await client.query('begin');
    await client.query(
      `insert into orders select id + 1000000000, channel_id, order_number || '-late', status, is_backorder, '선우이란',
         recipient_phone, shipping_address, tracking_number, courier_code, courier_name, cancel_reason,
         local_currency_code, local_total_amount, total_amount, exchange_rate, created_at from orders where id = $1`,
      [early.id],
    );
    await client.query(`insert into order_history (order_id, to_status, source) values ($1, 1, 'channel')`, [
      early.id + 1_000_000_000,
    ]);
    try {
      const meanwhile = await place(channel, [sku], { recipient_name: '선우삼란' });
      assert.deepEqual(await numbers('선우'), [meanwhile.order_number, early.order_number]);
      await client.query('commit');
      assert.deepEqual(await numbers('선우'), [
        `${early.order_number}-late`,
        meanwhile.order_number,
        early.order_number,
      ]);
      await client.query(
        `update order_search_progress set place = 'elsewhere', seen_xid = 9e15; truncate order_search`,
      );
      assert.deepEqual((await numbers('선우')).length, 3);
    } finally {
      await client.query(
        `rollback; delete from orders where id > 1000000000; delete from order_history where order_id > 1000000000`,
      );
      await client.end();
    }
  });

  test('search equals a naive filter over all orders while orders are taken, shipped and erased', async () => {
    const channel = await make.channel();
    const skus: string[] = [];
    for (const code of ['AAA-1', 'ABA-12', 'BAB-123']) {
      const variant = await make.variant(100_000, { code: `${unique('V')}-${code}` });
      skus.push(await make.map(channel, variant, `${unique('S')}-${code}`));
    }
    const names = ['김민수', '민수김', 'Min Su Kim', '김 민수', 'KIM MINSU', '수민'];
    const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
    const writer = async (start: number): Promise<void> => {
      for (let n = start; n < 60; n += 3) {
        const phone = `010-${String(1000 + ((n * 37) % 200))}-${String((n * 7919) % 10_000).padStart(4, '0')}`;
        const order = await place(channel, [pick(skus, n), pick(skus, n * 2 + 1)], {
          recipient_name: pick(names, n * 5 + start),
          recipient_phone: phone,
        });
        if (n % 2 === 0) {
          const report = { status: 3, tracking_number: `T${(n * 104_729) % 1_000_000}` };
          await must(admin('POST', `/orders/${order.id}/status`, report), 200);
        }
        if (n % 4 === 0) {
          const { order_number } = order;
          await inTransaction(pool, (tx) => eraseOrder(tx, BY, { order_number, dry_run: false }));
        }
      }
    };
    let isWriting = true;
    const indexing = (async () => {
      while (isWriting) await inTransaction(pool, (tx) => indexOrders(tx, { transactions: 4 }));
    })();
    await Promise.all([writer(0), writer(1), writer(2)]);
    isWriting = false;
    await indexing;
    await orderIndexer.catchUp();

    const { rows } = await pool.query<{ id: number; texts: string[] }>(
      `select o.id, array_remove(array[o.order_number] || array_agg(i.sku::text) || array_agg(v.code::text) ||
          case when o.erased_at is null
            then array[o.recipient_name, regexp_replace(o.recipient_phone, '[^0-9]', '', 'g'), o.tracking_number] end, null) as texts
       from orders o join order_item i on i.order_id = o.id join variant v on v.id = i.variant_id
       group by o.id order by o.id desc`,
    );
    const naive = (search: string): number[] => {
      const wanted = [search.trim(), ...(/^[-\d ]+$/.test(search) ? [search.replaceAll(/[- ]/g, '')] : [])];
      const matches = (text: string) =>
        wanted.some(
          (part) =>
            (part.length > 2 || /[가-힣]/.test(part)) && text.toLowerCase().includes(part.toLowerCase()),
        );
      return rows.filter(({ texts }) => texts.some(matches)).map(({ id }) => id);
    };
    const all = rows.flatMap(({ texts }) => texts);
    const parts = fc
      .tuple(fc.constantFrom(...all), fc.nat(), fc.integer({ min: 2, max: 12 }))
      .map(([text, at, length]) => text.slice(at % text.length, (at % text.length) + length))
      .filter((part) => part.trim() !== '' && searchedTexts(part) !== null);
    const invented = fc.constantFrom(
      '김민',
      '민수',
      'min su',
      '010-10',
      '1037',
      'aba-1',
      '-123',
      '999999',
      'kim',
      '수민김',
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(parts, invented), async (search) => {
        const answer = (await pages(`/orders?search=${encodeURIComponent(search)}`, 25)) as Found[];
        assert.deepEqual(
          answer.map(({ id }) => id),
          naive(search),
          search,
        );
        const totals = await must(admin('GET', `/orders/totals?search=${encodeURIComponent(search)}`), 200);
        assert.deepEqual([totals.count, totals.is_complete], [answer.length, true], search);
      }),
      { numRuns: 60 },
    );
  });
});

describe('viewers', () => {
  test('get masked personal data in lists and orders, and cannot search or sort by it', async () => {
    const { channel, sku } = await make.setting(10);
    const person = {
      recipient_name: '황보라미',
      recipient_phone: '010-1357-2468',
      shipping_address: '서울 강남구 테헤란로 152 7층',
    };
    const { id, order_number } = await place(channel, [sku], person);
    await must(admin('POST', `/orders/${id}/notes`, { text: 'call 황보라미' }), 201);
    await must(admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'CJ123456789' }), 200);
    assert.deepEqual(await numbers('황보라미'), [order_number]);
    const viewer = await token('viewer');
    const as = (path: string) => admin('GET', path, undefined, viewer);
    const [listed] = await must(as(`/orders?search=${order_number}`), 200);
    assert.deepEqual([listed.recipient_name, listed.tracking_number], ['황**미', '*******6789']);
    const order = await must(as(`/orders/${id}`), 200);
    assert.deepEqual(
      [
        order.recipient_name,
        order.recipient_phone,
        order.shipping_address,
        order.tracking_number,
        order.notes[0].text,
      ],
      ['황**미', '***-****-2468', '서울 강남구 ***', '*******6789', '***'],
    );
    for (const search of ['황보라미', '13572468', '010-1357', 'CJ123'])
      assert.deepEqual(await must(as(`/orders?search=${encodeURIComponent(search)}`), 200), [], search);
    assert.equal((await must(as(`/orders?search=${sku.slice(1)}`), 200)).length, 1);
    assert.equal((await must(as('/orders/totals?search=13572468'), 200)).count, 0);
    assert.deepEqual(await fieldsRefused(as('/orders?sort=recipient_name')), ['sort']);
    assert.equal(
      (await must(admin('GET', `/orders/${id}`, undefined, await token('operator')), 200)).recipient_phone,
      '010-1357-2468',
    );
  });

  test('a mask never shows the whole text and leaves at most two characters of a name', () => {
    assert.deepEqual(['김철수', '이영', '홍', '', 'John Smith'].map(maskName), [
      '김*수',
      '이*',
      '*',
      '*',
      'J********h',
    ]);
    assert.deepEqual(['010-1234-5678', '1234567', '+82 10 1234 5678', ''].map(maskNumber), [
      '***-****-5678',
      '*******',
      '+** ** **** 5678',
      '',
    ]);
    assert.deepEqual(['서울 강남구 테헤란로 152', 'short address', ''].map(maskAddress), [
      '서울 강남구 ***',
      '***',
      '***',
    ]);
    fc.assert(
      fc.property(fc.stringMatching(/^[가-힣a-z]{2,20}$/), (name) => {
        const masked = maskName(name);
        assert.ok(!masked.includes(name) && masked.replaceAll('*', '').length <= 2);
      }),
    );
  });
});

describe('sort and totals', () => {
  test('orders are sorted by each column in both directions, in pages, each order once', async () => {
    const { channel, sku } = await make.setting(100);
    const made: { id: number; order_number: string; recipient_name: string; amount: number }[] = [];
    for (let n = 0; n < 7; n++) {
      const amount = (n * 5) % 4;
      const fields = { recipient_name: `N${(n * 3) % 5}`, order_number: unique(`${'ZAKB'[n % 4]}`) };
      const body = orderOf([{ sku, quantity: 1, unit_price: amount }], fields);
      const { id } = await must(channel.call('POST', '/orders', body), 201);
      made.push({ id, amount, ...fields });
    }
    const keys = {
      created_at: ({ id }) => id,
      order_number: ({ order_number }) => order_number,
      total_amount: ({ amount }) => amount,
      recipient_name: ({ recipient_name }) => recipient_name,
    } satisfies Record<string, (order: (typeof made)[number]) => string | number>;
    for (const [column, key] of Object.entries(keys)) {
      const up = made
        .toSorted((a, b) => (key(a) === key(b) ? a.id - b.id : key(a) < key(b) ? -1 : 1))
        .map(({ id }) => id);
      for (const limit of [1, 3, 500]) {
        const ids = async (sort: string) =>
          (await pages(`/orders?channel_id=${channel.id}&sort=${sort}`, limit)).map(({ id }) => id as number);
        assert.deepEqual(await ids(column), up, column);
        assert.deepEqual(await ids(`-${column}`), up.toReversed(), `-${column}`);
      }
      await orderIndexer.catchUp();
      const searched = await pages(`/orders?search=${sku}&sort=${column}`, 2);
      assert.deepEqual(
        searched.map(({ id }) => id as number),
        up,
        `search by ${column}`,
      );
    }
    const totals = await must(admin('GET', `/orders/totals?channel_id=${channel.id}&status=1,2`), 200);
    assert.deepEqual(totals, { count: 7, total_amount: '9.00', is_complete: true });
    const none = await must(admin('GET', `/orders/totals?channel_id=${channel.id}&status=2`), 200);
    assert.deepEqual(none, { count: 0, total_amount: '0.00', is_complete: true });
    for (const sort of ['', 'id', '--created_at', 'status'])
      assert.deepEqual(await fieldsRefused(admin('GET', `/orders?sort=${sort}`)), ['sort'], sort);
  });
});
