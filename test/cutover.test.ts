// The procedure of docs/cutover.md with two services, one of them in the role of the old service. Everything is imported
// from files, compared, switched over, used, and switched back.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { csvField, EXPORT_COLUMN } from '../src/platform/csv/cell-rules.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService, type ChannelCall, type TestService } from '../verify/kit/service.ts';
import { cliBench } from './cli-run.ts';
import { desk } from './kit/desk.ts';

const bench = await cliBench();
const old = await startTestService({ env: PATIENT });
const next = await startTestService({ env: PATIENT, database: bench.database });
const make = fixtures(old);
const { pages } = desk(old);

const csvText = (header: string, rows: readonly (string | number)[][]): string =>
  [`${header},${EXPORT_COLUMN}`, ...rows.map((row) => `${row.map(csvField).join(',')},`)]
    .map((line) => `${line}\n`)
    .join('');
const base = ({ origin }: TestService): string => `${origin}/api/v1`;

// The old company: three channels, one abroad, with stock, allocations, and orders in every state.
const seoul = await make.channel({ order_number_prefix: 'SEL-' });
const tokyo = await make.channel({ country_code: 'JP' });
const quiet = await make.channel({ is_active: true });
const channels = [seoul, tokyo, quiet];
const items = await Promise.all([100, 40, 8, 0].map((quantity) => make.variant(quantity)));
const skuOf = new Map<string, string>();
for (const channel of [seoul, tokyo])
  for (const [index, item] of items.entries())
    skuOf.set(`${channel.id} ${index}`, await make.map(channel, item, `${channel.id}/품목 ${index}`));
const sku = (channel: TestChannel, index: number): string => skuOf.get(`${channel.id} ${index}`) ?? '';
await must(old.admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.1553' }), 201);
await must(old.admin('PUT', '/common-codes/DELIVERY_COMPANY/CJ', { name: 'CJ Logistics' }), 200);
const [first, second, third, fourth] = items;
assert.ok(first && second && third && fourth);
await make.allocate(seoul, first, 30, 0);
await make.allocate(tokyo, first, 20, 15);
await make.allocate(tokyo, third, 6, 3);

const taken: { channel: TestChannel; order: ReturnType<typeof orderOf>; status: number }[] = [];
async function take(
  channel: TestChannel,
  number: string,
  lines: [index: number, quantity: number][],
  fields: object = {},
  statuses: object[] = [],
): Promise<void> {
  const order = orderOf(
    lines.map(([index, quantity]) => ({ sku: sku(channel, index), quantity, unit_price: 33.335 })),
    { order_number: number, ...fields },
  );
  let { status } = await must(channel.call('POST', '/orders', order), 201);
  for (const report of statuses)
    ({ status } = await must(channel.call('POST', `/orders/${number}/status`, report), 200));
  taken.push({ channel, order, status });
}
const shipped = { status: 3, tracking_number: 'T-1', courier_code: 'CJ' };
await take(seoul, 'SEL-1', [[0, 5]], { status: 0 });
await take(seoul, 'SEL-2', [[0, 50], [1, 2], [1, 1]], { tracking_number: 'early' }); // prettier-ignore
await take(seoul, 'SEL-3', [[1, 4]], {}, [{ status: 2 }]);
await take(seoul, 'SEL-4', [[2, 1]], {}, [{ status: 9 }]);
await take(seoul, 'SEL-5', [[1, 3]], {}, [shipped]);
await take(seoul, 'SEL-6', [[1, 9]], {}, [{ status: 88, reason: 'changed mind' }]);
await take(tokyo, 'TYO-1', [[2, 7]]); // draws on its pre-allocation
await take(tokyo, 'TYO-2', [[0, 3], [3, 2]], { is_backorder: true, status: 0 }); // prettier-ignore

const ordersOf = (service: TestService): Promise<any[]> =>
  Promise.all(
    taken.map(async ({ order }) => {
      const [found] = await must(service.admin('GET', `/orders?order_number=${order.order_number}`), 200);
      return must(service.admin('GET', `/orders/${found.id}`), 200);
    }),
  );

/** The files that a company exports from its old service. */
async function exportOld(): Promise<Record<string, string>> {
  const named = new Map<number, any>((await pages('/channels', 100)).map((one) => [one.id, one]));
  const products = await Promise.all(
    (await pages('/products', 100)).map(({ code }) => must(old.admin('GET', `/products/${code}`), 200)),
  );
  const rates = await pages('/exchange-rates', 100);
  const text = async (path: string): Promise<string> => (await old.admin('GET', path)).text;
  const allocations = (await text('/allocations/export')).trim().split('\r\n').slice(1);
  const orders = await ordersOf(old);
  return {
    channels: csvText(
      'name,api_key,country_code,is_active,order_number_prefix',
      channels.map(({ id, api_key }) => {
        const { name, country_code, is_active, order_number_prefix } = named.get(id);
        return [name, api_key, country_code ?? '', String(is_active), order_number_prefix ?? ''];
      }),
    ),
    products: csvText(
      'product_code,product_name,variant_code',
      products.flatMap((one) => one.variants.map((variant: any) => [one.code, one.name, variant.code])),
    ),
    codes: csvText('group,code,name', [['DELIVERY_COMPANY', 'CJ', 'CJ Logistics']]),
    rates: csvText(
      'currency_code,rate,effective_at',
      rates.map((one) => [one.currency_code, one.rate, one.effective_at]),
    ),
    stock: await text('/stock/export'),
    allocations: csvText(
      'channel,variant_code,allocated_qty,reserve_quota',
      allocations.map((line) => {
        const [id, ...rest] = line.split(',');
        return [named.get(Number(id)).name as string, ...rest.slice(0, 3)];
      }),
    ),
    orders: csvText(
      'order_number,channel,status,created_at,is_backorder,recipient_name,recipient_phone,shipping_address,tracking_number,courier_code,cancel_reason,local_currency_code,exchange_rate,local_total_amount,total_amount,sku,variant_code,quantity,local_unit_price,unit_price,from_allocation',
      orders.flatMap((order) =>
        order.items.map((item: any) => [
          order.order_number,
          named.get(order.channel_id).name,
          order.status,
          order.created_at,
          String(order.is_backorder),
          order.recipient_name,
          order.recipient_phone,
          order.shipping_address,
          order.tracking_number ?? '',
          order.courier_code ?? '',
          order.cancel_reason ?? '',
          order.local_currency_code,
          order.exchange_rate,
          order.local_total_amount,
          order.total_amount,
          item.sku,
          item.variant_code,
          item.quantity,
          item.local_unit_price,
          item.unit_price,
          item.from_allocation,
        ]),
      ),
    ),
  };
}

const newChannels: { id: number; call: ChannelCall }[] = [];
const compare = (channel: TestChannel, ...options: string[]) =>
  bench.run(['compare', '--old', base(old), '--new', base(next), '--key-file', '-', ...options], {
    input: channel.api_key,
  });

test('everything is imported from files after dry runs, and reconcile finds no drift', async () => {
  const files = await exportOld();
  for (const what of ['channels', 'products', 'codes', 'rates', 'stock', 'allocations', 'orders']) {
    const path = await bench.file(`${what}.csv`, files[what] ?? '');
    if (what !== 'allocations' && what !== 'orders' && what !== 'stock')
      await bench.ok(['import', what, path, '--dry-run']);
    await bench.ok(['import', what, path]);
    if (what !== 'products') continue;
    const stored = await bench.rows('select id, name from channel order by id');
    for (const [index, channel] of channels.entries()) {
      const id = Number(stored[index]?.id);
      newChannels.push({ id, call: next.channel(channel.api_key) });
      const mappings = await old.admin('GET', `/channels/${channel.id}/mappings/export`);
      const file = await bench.file(`mappings-${id}.csv`, mappings.text);
      await bench.ok(['import', 'mappings', file, '--channel', String(id)]);
    }
  }
  await bench.ok(['reconcile']);
  const strip = (order: any) => {
    const { id: _id, channel_id: _channel, history: _history, ...rest } = order;
    return rest;
  };
  assert.deepEqual((await ordersOf(next)).map(strip), (await ordersOf(old)).map(strip));
});

test('both services answer each channel with the same data', async () => {
  for (const channel of channels) {
    const { code, stdout, stderr } = await compare(channel);
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.match(stdout, /No difference: \d rows and \d lookups compared/);
  }
});

test('compare shows differences row by row with totals, and can ignore fields', async () => {
  await must(next.admin('POST', `/stock/${first.code}/adjustments`, { delta: 7, reason: 'test' }), 200);
  const { code, stdout } = await compare(seoul);
  assert.equal(code, 1);
  const row = (where: string, field: string): RegExp =>
    new RegExp(`${where} +${seoul.id}/품목 0 +${field} +\\d+ +\\d+`);
  assert.match(stdout, row('list', 'quantity'));
  assert.match(stdout, row('list', 'available'));
  assert.match(stdout, row('lookup', 'available'));
  assert.match(stdout, /^quantity +\d+ +\d+$/m);
  assert.match(stdout, /3 differences in 1 SKU: 4 rows and 4 lookups compared/);
  const ignoring = await compare(seoul, '--ignore', 'quantity,available', '--lookups', '2', '--json');
  assert.equal(ignoring.code, 0, ignoring.stdout);
  assert.deepEqual([ignoring.json().ok, ignoring.json().lookups], [true, 2]);
  await must(next.admin('POST', `/stock/${first.code}/adjustments`, { delta: -7, reason: 'test' }), 200);
  assert.equal((await compare(seoul)).code, 0);
});

test('the switch: resends are recognized, imported orders and new ones work, and reconcile finds no drift', async () => {
  for (const { channel, order, status } of taken) {
    const answer = await next.channel(channel.api_key)('POST', '/orders', order);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.status, status);
    const before = await channel.call('POST', '/orders', order);
    assert.deepEqual({ ...answer.json.data, id: 0 }, { ...before.json.data, id: 0 });
  }
  const [atSeoul, atTokyo] = newChannels;
  assert.ok(atSeoul && atTokyo);
  await must(atSeoul.call('POST', '/orders/SEL-1/status', { status: 1 }), 200);
  await must(
    atSeoul.call('POST', '/orders/SEL-4/status', { status: 3, tracking_number: 'T-9', courier_code: 'CJ' }),
    200,
  );
  const allocatedBefore = (await must(next.admin('GET', `/stock/${third.code}`), 200)).allocated;
  await must(atTokyo.call('POST', '/orders/TYO-1/status', { status: 88 }), 200);
  const { allocated } = await must(next.admin('GET', `/stock/${third.code}`), 200);
  const drawn = (await ordersOf(old)).find((one) => one.order_number === 'TYO-1').items[0].from_allocation;
  assert.ok(drawn > 0, 'the imported orders include one that drew on a pre-allocation');
  assert.equal(allocated, allocatedBefore + drawn);
  await must(
    atSeoul.call(
      'POST',
      '/orders',
      orderOf([{ sku: sku(seoul, 1), quantity: 2, unit_price: 5 }], { order_number: 'SEL-7' }),
    ),
    201,
  );
  await bench.ok(['reconcile']);
});

test('the way back: replaying the order feed since the switch makes the old service equal again', async () => {
  // The old service already knows the steps that the import wrote.
  let since = '';
  for (let more = true; more;) {
    const page = (await next.admin('GET', `/orders/changes${since}`)).json;
    for (const change of page.data) {
      const call = channels[newChannels.findIndex(({ id }) => id === change.channel_id)]?.call;
      assert.ok(call);
      if (change.source === 'import') continue;
      const { order_number, status } = change;
      if (change.previous_status === null)
        await must(
          call('POST', '/orders', {
            order_number,
            ...PERSON,
            status,
            is_backorder: change.is_backorder,
            items: change.items.map((item: any) => ({
              sku: item.sku,
              quantity: item.quantity,
              unit_price: Number(item.local_unit_price),
            })),
          }),
          200,
          201,
        );
      else {
        const { tracking_number, courier_code, cancel_reason } = change;
        const shipment = status === 3 ? { tracking_number, ...(courier_code && { courier_code }) } : {};
        const reason = cancel_reason === null ? {} : { reason: cancel_reason };
        await must(call('POST', `/orders/${order_number}/status`, { status, ...shipment, ...reason }), 200);
      }
    }
    since = `?since=${encodeURIComponent(page.next)}`;
    more = page.has_more;
  }
  for (const channel of channels) {
    const { code, stdout } = await compare(channel);
    assert.equal(code, 0, stdout);
  }
});

test('forward again: orders that the old service has shipped, cancelled and accepted meanwhile are taken over', async () => {
  const atSwitch = orderOf([{ sku: sku(seoul, 1), quantity: 2, unit_price: 5 }], { order_number: 'SEL-7' });
  taken.push({ channel: seoul, order: atSwitch, status: 1 }); // accepted by Sluice, and replayed
  const report = (channel: TestChannel, number: string, body: object) =>
    must(channel.call('POST', `/orders/${number}/status`, body), 200);
  await report(seoul, 'SEL-7', { ...shipped, tracking_number: 'T-7' });
  await report(seoul, 'SEL-1', { status: 2 });
  await report(seoul, 'SEL-2', { status: 88, reason: 'too late' }); // has drawn on its pre-allocation
  await report(tokyo, 'TYO-2', { status: 88 }); // a backorder
  await take(seoul, 'SEL-8', [[1, 3]]);
  await must(old.admin('POST', `/stock/${second.code}/adjustments`, { delta: 25, reason: 'delivery' }), 200);
  await make.allocate(tokyo, first, 7, 15);
  const drawn = (await ordersOf(old)).find((one) => one.order_number === 'SEL-2').items[0].from_allocation;
  assert.ok(drawn > 0);

  const files = await exportOld();
  const load = async (what: string, text: string, options: string[] = [], code = 0) => {
    const result = await bench.run(['import', what, await bench.file(`${what}.csv`, text), ...options]);
    assert.equal(result.code, code, `${what}: ${result.stdout}${result.stderr}`);
    return result;
  };
  for (const what of ['channels', 'products', 'codes', 'rates', 'stock', 'allocations']) {
    await load(what, files[what] ?? '', ['--dry-run']);
    await load(what, files[what] ?? '');
  }
  const orders = files['orders'] ?? '';
  const refused = await load('orders', orders, [], 1);
  assert.match(
    refused.stderr,
    /order "SEL-1" exists already, and its status differs: "1" here, "2" in the file/,
  );
  assert.match(refused.stderr, /are taken over with --update/);
  const without = orders
    .split('\n')
    .filter((line) => !line.startsWith('SEL-7,'))
    .join('\n');
  assert.match(
    (await load('orders', without, ['--update'], 1)).stderr,
    /order "SEL-7" of channel \d+ is open here \(status 1\) and not in the file/,
  );
  const before = await bench.count('order_history');
  const dry = await load('orders', orders, ['--update', '--dry-run']);
  assert.match(dry.stdout, /would be orders imported: 1, orders updated: 4/);
  assert.equal(await bench.count('order_history'), before);
  await load('orders', orders, ['--update']);
  const again = await load('orders', orders, ['--update']);
  assert.match(again.stdout, /nothing to change/);
  await bench.ok(['reconcile']);
  for (const channel of channels) {
    const { code, stdout } = await compare(channel);
    assert.equal(code, 0, stdout);
  }
  const [ours, theirs] = [await ordersOf(next), await ordersOf(old)];
  const state = (order: any) => [
    order.order_number,
    order.status,
    order.tracking_number,
    order.cancel_reason,
  ];
  assert.deepEqual(ours.map(state), theirs.map(state));
  // Channels resend and report as ever; a cancellation gives back what is drawn now.
  for (const { channel, order } of taken)
    assert.equal(
      (await next.channel(channel.api_key)('POST', '/orders', order)).status,
      200,
      order.order_number,
    );
  const [atSeoul] = newChannels;
  await must(atSeoul!.call('POST', '/orders/SEL-8/status', { status: 88 }), 200);
  await must(atSeoul!.call('POST', '/orders/SEL-1/status', { ...shipped, tracking_number: 'T-8' }), 200);
  await bench.ok(['reconcile']);
  // The other way round: what Sluice has shipped cannot be open in the old service.
  const back = await load('orders', orders, ['--update'], 1);
  assert.match(back.stderr, /order "SEL-1" has status 3 here, and cannot move to 2/);
});

/** A service with scripted answers. */
async function scripted(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;
}

test('compare: a busy service is asked again; one that cannot be read is exit code 2; the key is never shown', async () => {
  const { api_key } = seoul;
  const against = (url: string) =>
    bench.run(['compare', '--old', url, '--new', base(next), '--key', api_key]);
  let asked = 0;
  const busy = await scripted((request, response) => {
    if (asked++ < 2) return void response.writeHead(asked === 1 ? 429 : 503, { 'retry-after': '0' }).end();
    void fetch(`${base(next)}${(request.url ?? '').replace('/api/v1', '')}`, {
      headers: { 'x-api-key': api_key },
    }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
  });
  const patient = await against(busy);
  assert.equal(patient.code, 0, patient.stderr);

  const other = await scripted((request) => assert.fail(`the key went to ${request.url}`));
  for (const [answer, message] of [
    [
      (response: ServerResponse) => response.writeHead(302, { location: other }).end(),
      /redirects are not followed/,
    ],
    [
      (response: ServerResponse) => response.writeHead(401).end(),
      /401: this service does not accept the key/,
    ],
    [
      (response: ServerResponse) => response.writeHead(404).end(),
      /404: its base address must end in \/api\/v1/,
    ],
    [(response: ServerResponse) => response.end('<html>'), /not JSON/],
    [(response: ServerResponse) => response.end('{"data":[{}]}'), /row without sku/],
  ] as const) {
    const result = await against(await scripted((_request, response) => answer(response)));
    assert.equal(result.code, 2, result.stderr);
    assert.match(result.stderr, message);
    assert.ok(!`${result.stdout}${result.stderr}`.includes(api_key));
  }
  const closed = await bench.run([
    'compare',
    '--old',
    base(old),
    '--new',
    'http://127.0.0.1:9/api/v1',
    '--key',
    api_key,
  ]);
  assert.match(
    closed.stderr,
    /the new service \(http:\/\/127\.0\.0\.1:9\) cannot be read: the connection is/,
  );
  const missing = await bench.run(['compare', '--old', base(old)]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /Either --key KEY or --key-file FILE is required/);
  for (const [file, code] of [
    [tmpdir(), 'EISDIR'],
    [join(tmpdir(), 'no', 'key'), 'ENOENT'],
  ] as const) {
    const unread = await bench.run(['compare', '--old', base(old), '--key-file', file]);
    assert.equal(unread.code, 2, 'exit 1 would mean that the services differ');
    assert.equal(unread.stderr, `sluice: ${file} cannot be read (${code}). See "sluice compare --help".\n`);
  }
});
