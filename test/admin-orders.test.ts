import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { adminToken, desk, fieldsRefused } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startTestService, type TestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const admin: TestService['admin'] = (...request) => service.admin(...request);
const { pool } = service.service.services;
const { pages } = desk(service);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/;

/** The history of an order in short form, with the source of each step. */
const stepsOf = (order: { history: { from: number | null; to: number; source: string }[] }) =>
  order.history.map(({ from, to, source }) => `${from}→${to} ${source}`);

describe('GET /orders/{id}', () => {
  test('returns exactly the stored order, with all its fields', async () => {
    const { channel, variant, sku } = await make.setting(10, { country_code: 'JP' });
    await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.125' }), 201);
    await make.allocate(channel, variant, 8);
    const body = orderOf(
      [
        { sku, quantity: 1, unit_price: 1234.5 },
        { sku, quantity: 4, unit_price: 0.1 },
      ],
      { tracking_number: 'EARLY', status: 0 },
    );
    const { id } = await must(channel.call('POST', '/orders', body), 201);
    const { name: channel_name } = await must(admin('GET', `/channels/${channel.id}`), 200);
    const found = await must(admin('GET', `/orders/${id}`), 200);
    assert.match(found.created_at, ISO);
    assert.match(found.history[0].at, ISO);
    const item = { product_code: variant.product, product_name: `Product ${variant.product}` };
    const more = { sku, variant_code: variant.code, cancelled_quantity: 0, returned_quantity: 0 };
    assert.deepEqual(found, {
      id,
      order_number: body.order_number,
      channel_id: channel.id,
      status: 0,
      is_backorder: false,
      total_amount: '11268.46', // 1234.9 × 9.125 = 11268.4625
      local_currency_code: 'JPY',
      local_total_amount: '1234.9',
      exchange_rate: '9.125',
      recipient_name: body.recipient_name,
      recipient_phone: body.recipient_phone,
      shipping_address: body.shipping_address,
      tracking_number: 'EARLY',
      courier_code: null,
      courier_name: null,
      tracking_link: null,
      cancel_reason: null,
      created_at: found.created_at,
      erased_at: null,
      items: [
        {
          ...item,
          ...more,
          line: 0,
          quantity: 1,
          unit_price: '11264.81',
          local_unit_price: '1234.5',
          line_total: '11264.81',
          local_line_total: '1234.5',
          from_allocation: 0,
        },
        {
          ...item,
          ...more,
          line: 1,
          quantity: 4,
          unit_price: '0.91',
          local_unit_price: '0.1',
          line_total: '3.65',
          local_line_total: '0.4',
          from_allocation: 3,
        },
      ],
      history: [
        {
          from: null,
          to: 0,
          source: 'channel',
          actor: `channel:${channel.id}`,
          actor_name: channel_name,
          at: found.history[0].at,
          correction: null,
        },
      ],
      returns: [],
      notes: [],
    });
  });

  test('shows every status step of one report in sequence, although all have the same time', async () => {
    const { channel, sku } = await make.setting(10);
    const body = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
    const { id } = await must(channel.call('POST', '/orders', body), 201);
    await must(
      channel.call('POST', `/orders/${body.order_number}/status`, { status: 3, tracking_number: 'T' }),
      200,
    );
    const found = await must(admin('GET', `/orders/${id}`), 200);
    assert.deepEqual(stepsOf(found), ['null→0 channel', '0→1 channel', '1→2 channel', '2→3 channel']);
    assert.equal(new Set(found.history.slice(1).map((step: { at: string }) => step.at)).size, 1);
  });

  for (const id of ['0', '-1', 'abc', '1.5', '99999999', '9007199254740993', '99999999999999999999']) {
    test(`order ${id} is not found`, async () => {
      const answer = await admin('GET', `/orders/${id}`);
      assert.equal(answer.status, 404, answer.text);
      assert.equal(answer.json.error, `Order ${id} was not found.`);
      assert.equal(answer.json.code, 'order_unknown');
    });
  }
});

describe('GET /orders', () => {
  test('lists each order once, newest first, in pages', async () => {
    const { channel, sku } = await make.setting(100);
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) {
      const body = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      ids.push((await must(channel.call('POST', '/orders', body), 201)).id);
    }
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await admin('GET', `/orders?channel_id=${channel.id}&limit=2${more}`);
      assert.equal(answer.status, 200, answer.text);
      seen.push(...answer.json.data.map((order: { id: number }) => order.id));
      cursor = answer.json.next_cursor;
    }
    assert.deepEqual(seen, ids.toReversed());
  });

  test('filters by channel, status, number and time', async () => {
    const one = await make.setting(100);
    const other = await make.setting(100);
    const send = async ({ channel, sku }: typeof one, fields: object = {}) => {
      const body = orderOf([{ sku, quantity: 1, unit_price: 1 }], fields);
      return (await must(channel.call('POST', '/orders', body), 201)) as { id: number; order_number: string };
    };
    const unpaid = await send(one, { status: 0 });
    const paid = await send(one);
    const elsewhere = await send(other);
    await service.database.tamper(`update orders set created_at = '2020-02-29T15:30:00Z' where id = $1`, [
      paid.id,
    ]);
    const ids = async (query: string): Promise<number[]> =>
      (await must(admin('GET', `/orders?limit=500&${query}`), 200)).map((order: { id: number }) => order.id);

    assert.deepEqual(await ids(`channel_id=${one.channel.id}`), [paid.id, unpaid.id]);
    assert.deepEqual(await ids(`channel_id=${one.channel.id}&status=0`), [unpaid.id]);
    assert.deepEqual(await ids(`channel_id=${one.channel.id}&status=0&status=1`), [paid.id, unpaid.id]);
    assert.deepEqual(await ids(`channel_id=${one.channel.id}&status=88&status=3&status=0&status=0`), [
      unpaid.id,
    ]);
    assert.deepEqual(await ids(`order_number=${elsewhere.order_number}`), [elsewhere.id]);
    assert.deepEqual(await ids(`order_number=${elsewhere.order_number}&status=1`), [elsewhere.id]);
    assert.deepEqual(await ids(`order_number=${elsewhere.order_number}&status=0&status=88`), []);
    assert.deepEqual(await ids(`order_number=${paid.order_number}&from=2020-03-01&to=2020-03-01`), [paid.id]);
    assert.deepEqual(await ids(`order_number=${paid.order_number}&from=2020-03-02`), []);
    assert.deepEqual(await ids(`order_number=${elsewhere.order_number}&channel_id=${one.channel.id}`), []);
    assert.deepEqual(await ids('channel_id=2147483647'), []);
    // 15:30 UTC on 29 February is half past midnight on 1 March in Seoul.
    assert.deepEqual(await ids('from=2020-03-01&to=2020-03-01'), [paid.id]);
    assert.deepEqual(await ids('from=2020-02-29&to=2020-02-29'), []);
    assert.deepEqual(await ids('from=2020-03-01&to=2020-03-01&status=0&status=1'), [paid.id]);
    assert.deepEqual(await ids('from=2020-03-01&to=2020-03-01&status=3&status=88'), []);
    assert.deepEqual(await ids(`to=2020-03-01&channel_id=${one.channel.id}`), [paid.id]);
    assert.deepEqual(await ids(`to=2020-03-01&channel_id=${one.channel.id}&status=1`), [paid.id]);
    assert.deepEqual(await ids(`to=2020-03-01&channel_id=${other.channel.id}`), []);
    assert.deepEqual(await ids(`from=2020-03-02&channel_id=${one.channel.id}`), [unpaid.id]);
    assert.deepEqual(await ids('from=2020-03-02&to=2020-03-01'), []);
    assert.deepEqual(await ids('to=2020-02-29T15:30:00Z'), []);
    assert.deepEqual(await ids('to=2020-02-29T15:30:01Z'), [paid.id]);
    assert.deepEqual(await ids('from=2020-02-29T15:30:00Z&to=2020-03-02'), [paid.id]);
    assert.deepEqual(await ids('to=2020-03-01T00:31:00%2B09:00'), [paid.id]);
    assert.deepEqual(
      await ids('to=2020-03-01T00:31:00+09:00'),
      [paid.id],
      'a plus sign that is not percent-encoded',
    );
  });

  test('an invalid filter is refused with a validation error under its name', async () => {
    for (const [field, value] of [
      ['channel_id', 'abc'],
      ['channel_id', '2147483648'],
      ['status', '7'],
      ['status', ''],
      ['status', '1.0'],
      ['status', '1&status=x'],
      ['status', Array(7).fill('1').join('&status=')],
      ['from', '2026-02-30'],
      ['from', 'yesterday'],
      ['to', '2026-11-15T09:30:00'],
      ['to', '2026-13-01T00:00:00Z'],
      ['limit', '501'],
      ['cursor', 'rubbish'],
      ['order_number', '%00'],
    ]) {
      const answer = await admin('GET', `/orders?${field}=${value}`);
      assert.equal(answer.status, 422, `${field}=${value}: ${answer.text}`);
      assert.deepEqual(Object.keys(answer.json.errors), [field], answer.text);
    }
  });

  test('shows the name of the channel and the number of lines', async () => {
    const { channel, sku } = await make.setting(9);
    const { name } = await must(admin('GET', `/channels/${channel.id}`), 200);
    const line = { sku, quantity: 2, unit_price: 1 };
    const body = orderOf([line, line, line]);
    await must(channel.call('POST', '/orders', body), 201);
    const [listed] = await must(admin('GET', `/orders?order_number=${body.order_number}`), 200);
    assert.deepEqual([listed.channel_name, listed.item_count], [name, 3]);
    assert.deepEqual([listed.tracking_number, listed.courier_name], [null, null]);
  });

  test('filtered by time, lists each order once for every page size, also with gaps of years between orders', async () => {
    const { channel, sku } = await make.setting(100);
    const stored: { id: number; at: number }[] = [];
    // Years, seconds and one microsecond apart, and not sorted like the ids.
    const times = [
      '2011-05-05T00:00:00Z',
      '2012-06-01T10:00:00.000001Z',
      '2012-06-01T10:00:00.000002Z',
      '2012-06-01T10:00:00.000002Z',
      '2012-06-01T09:59:59Z',
      '2012-06-30T00:00:00Z',
      '2014-01-01T00:00:00Z',
      '2011-05-04T23:00:00Z',
    ];
    for (const time of times) {
      const body = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      const { id } = await must(channel.call('POST', '/orders', body), 201);
      const { rows } = await service.database.tamper(
        'update orders set created_at = $2 where id = $1 returning extract(epoch from created_at)::text as at',
        [id, time],
      );
      stored.push({ id, at: Number(rows[0].at) });
    }
    const newestFirst = stored.toSorted((a, b) => b.at - a.at || b.id - a.id).map(({ id }) => id);
    for (const limit of [1, 2, 3, 500]) {
      for (const query of [
        `channel_id=${channel.id}&to=2015-01-01`,
        `channel_id=${channel.id}&from=2011-01-01`,
        `channel_id=${channel.id}&from=2011-01-01&to=2015-01-01&status=1`,
        'from=2011-01-01&to=2015-01-01',
        'from=2011-01-01&to=2015-01-01&status=0&status=1',
      ]) {
        const seen = (await pages(`/orders?${query}`, limit)).map((order) => order.id as number);
        assert.deepEqual(seen, newestFirst, `${query} in pages of ${limit}`);
      }
    }
    await service.database.tamper('update orders set created_at = now() where channel_id = $1', [channel.id]);
  });

  test('filtered by several statuses, lists each order once, newest first, in pages', async () => {
    const { channel, sku } = await make.setting(100);
    const ids: number[] = [];
    for (let n = 0; n < 9; n++) {
      const body = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: n % 2 });
      const { id } = await must(channel.call('POST', '/orders', body), 201);
      if (n % 3 === 0) await must(admin('POST', `/orders/${id}/status`, { status: 9 }), 200);
      ids.push(id);
    }
    const query = `/orders?channel_id=${channel.id}&status=9&status=0&status=1`;
    for (const limit of [1, 2, 4])
      assert.deepEqual(
        (await pages(query, limit)).map((order) => order.id as number),
        ids.toReversed(),
      );
  });

  test('omits phone and address, which only the single order contains', async () => {
    const { channel, sku } = await make.setting(5);
    const body = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
    await must(channel.call('POST', '/orders', body), 201);
    const [listed] = await must(admin('GET', `/orders?order_number=${body.order_number}`), 200);
    assert.equal(listed.recipient_name, body.recipient_name);
    assert.equal('recipient_phone' in listed || 'shipping_address' in listed, false);
  });
});

describe('POST /orders/{id}/status', () => {
  test('ships by the same rules as a channel report, and is audited with the actor', async () => {
    const { channel, variant, sku } = await make.setting(10);
    await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200, 201);
    const body = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
    const { id } = await must(channel.call('POST', '/orders', body), 201);
    const shipped = await must(
      admin('POST', `/orders/${id}/status`, { status: 3, tracking_number: 'T-9', courier_code: 'CJ' }),
      200,
    );
    assert.equal(shipped.status, 3);
    assert.equal('tracking_number' in shipped, false);
    const found = await must(admin('GET', `/orders/${id}`), 200);
    assert.deepEqual(
      [found.tracking_number, found.courier_code, found.courier_name],
      ['T-9', 'CJ', 'CJ Logistics'],
    );
    assert.deepEqual(stepsOf(found), ['null→1 channel', '1→2 back_office', '2→3 back_office']);
    assert.equal((await make.stock(variant)).quantity, 7);
    const [entry] = await must(admin('GET', `/audit?subject=order:${id}`), 200);
    assert.equal(entry.action, 'order.status');
    assert.equal(entry.actor, 'environment');
    assert.deepEqual([entry.before, entry.after], [{ status: 1 }, { status: 3 }]);
  });

  test('cancels with a reason, returns the stock, and refuses every later status', async () => {
    const { channel, sku } = await make.setting(10);
    const body = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
    const { id } = await must(channel.call('POST', '/orders', body), 201);
    await must(admin('POST', `/orders/${id}/status`, { status: 88, reason: 'asked to' }), 200);
    assert.equal(await make.available(channel, sku), 10);
    const found = await must(admin('GET', `/orders/${id}`), 200);
    assert.equal(found.cancel_reason, 'asked to');
    assert.equal(found.items[0].cancelled_quantity, 4);
    const back = await admin('POST', `/orders/${id}/status`, { status: 1 });
    assert.equal(back.status, 409);
    assert.equal(back.json.code, 'invalid_transition');
    assert.deepEqual([back.json.current_status, back.json.requested_status], [88, 1]);
  });

  test('is refused for an unknown order, an invalid body, and a viewer', async () => {
    const { channel, sku } = await make.setting(10);
    const { id } = await must(
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
      201,
    );
    for (const unknown of ['99999999', 'abc', '99999999999999999999']) {
      const answer = await admin('POST', `/orders/${unknown}/status`, { status: 1 });
      assert.equal(answer.status, 404, answer.text);
      assert.equal(answer.json.error, `Order ${unknown} was not found.`);
      assert.deepEqual(answer.json.details, { order: unknown });
    }
    const untracked = await admin('POST', `/orders/${id}/status`, { status: 3 });
    assert.equal(untracked.status, 422);
    assert.deepEqual(Object.keys(untracked.json.errors), ['tracking_number']);
    const token = await adminToken(pool, 'viewer');
    const viewed = await admin('POST', `/orders/${id}/status`, { status: 2 }, token);
    assert.equal(viewed.status, 403, viewed.text);
    assert.equal((await admin('GET', `/orders/${id}`, undefined, token)).json.data.status, 1);
  });
});

describe('GET /audit', () => {
  test('filters by subject, newest first, in pages', async () => {
    const channel = await make.channel();
    for (const name of ['a', 'b', 'c']) await must(admin('PATCH', `/channels/${channel.id}`, { name }), 200);
    const first = await admin('GET', `/audit?subject=channel:${channel.id}&limit=2`);
    assert.deepEqual(
      first.json.data.map((entry: { after: { name: string } }) => entry.after.name),
      ['c', 'b'],
    );
    const rest = await admin(
      'GET',
      `/audit?subject=channel:${channel.id}&limit=2&cursor=${first.json.next_cursor}`,
    );
    assert.deepEqual(
      rest.json.data.map((entry: { action: string }) => entry.action),
      ['channel.update', 'channel.create'],
    );
    assert.equal(rest.json.next_cursor, null);
    assert.equal(rest.json.data[1].before, null);
    assert.match(rest.json.data[1].at, ISO);
    assert.match(rest.json.data[1].request_id, /^[\w.-]+$/);
    assert.deepEqual((await admin('GET', '/audit?subject=channel:0')).json, { data: [], next_cursor: null });
  });

  test('filters by actor, by action or its first word, and by time', async () => {
    const name = unique('clerk');
    const token = await adminToken(pool, 'operator', name);
    const actor = `token:${name}`;
    const variant = await make.variant(null);
    const stock = `/stock/${variant.code}`;
    const as = (method: string, path: string, body: object) =>
      must(admin(method, path, body, token), 200, 201);
    await as('PUT', stock, { quantity: 5 });
    await as('POST', `${stock}/adjustments`, { delta: 1, reason: 'r' });
    await as('POST', '/exchange-rates', { currency_code: 'NOK', rate: 130 });
    await as('POST', `${stock}/adjustments`, { delta: 2, reason: 'r' });
    const found = async (query: string, limit = 500) =>
      (await pages(`/audit?${query}`, limit)).map((entry) => entry.action as string);

    const all = ['stock.adjust', 'exchange_rate.create', 'stock.adjust', 'stock.set'];
    assert.deepEqual(await found(`actor=${actor}`), all);
    assert.deepEqual(await found(`actor=${actor}`, 1), all);
    assert.deepEqual(await found(`actor=${actor}&action=stock`), [
      'stock.adjust',
      'stock.adjust',
      'stock.set',
    ]);
    assert.deepEqual(await found(`actor=${actor}&action=stock.set`), ['stock.set']);
    assert.deepEqual(await found(`actor=${actor.slice(0, -1)}`), [], 'a part of an actor does not match');
    for (const action of ['stoc', 'stock.', 'stock.se', 'STOCK', '%25', 'zzz'])
      assert.deepEqual(await found(`action=${action}`), [], action);

    const subject = `subject=variant:${variant.code}`;
    assert.deepEqual(await found(`${subject}&action=stock.adjust`), ['stock.adjust', 'stock.adjust']);
    assert.deepEqual(await found(`${subject}&actor=${actor}&to=2020-01-01`), []);
    const everything = await found('');
    const stocks = everything.filter((action) => action.startsWith('stock.'));
    for (const limit of [2, 500]) {
      assert.deepEqual(await found('action=stock', limit), stocks);
      assert.deepEqual(
        await found('action=stock.set', limit),
        everything.filter((action) => action === 'stock.set'),
      );
    }
    await service.database.tamper(
      `update audit set at = '2019-06-01T12:00:00Z'::timestamptz + id * interval '1 microsecond' where actor = $1`,
      [actor],
    );
    for (const limit of [1, 3, 500]) {
      assert.deepEqual(await found('from=2019-06-01&to=2019-06-01', limit), all);
      assert.deepEqual(await found('to=2019-06-01T21:00:01%2B09:00&action=stock', limit), [
        'stock.adjust',
        'stock.adjust',
        'stock.set',
      ]);
    }
    assert.deepEqual(await found('to=2019-06-01T12:00:00Z'), []);
    assert.deepEqual(await found(`from=2019-06-02&actor=${actor}`), []);
    assert.deepEqual(await found(`${subject}&from=2019-06-01&to=2019-06-01&action=stock.set`), ['stock.set']);
  });

  test('an invalid filter of the audit log is refused with a validation error under its name', async () => {
    for (const [field, value] of [
      ['actor', 'a%00b'],
      ['action', 'x'.repeat(201)],
      ['subject', '%00'],
      ['from', 'yesterday'],
      ['to', '2026-02-30'],
      ['cursor', 'rubbish'],
    ])
      assert.deepEqual(await fieldsRefused(admin('GET', `/audit?${field}=${value}`)), [field]);
  });
});
