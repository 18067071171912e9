// The short form of the crash drill, and tests of its final check, which must detect every kind of tampering.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Account } from '../verify/drill/account.ts';
import { cancellationFault } from '../verify/drill/check-order.ts';
import { checkDrill, type DrillVerdict } from '../verify/drill/check.ts';
import { HELP, readOptions } from '../verify/drill/crash-options.ts';
import { UsageError } from '../verify/kit/command-line.ts';
import { startDriver } from '../verify/drill/driver.ts';
import type { Command, Fact } from '../verify/drill/ledger.ts';
import { finish, TrafficPlan } from '../verify/drill/plan.ts';
import { Random } from '../verify/kit/random.ts';
import { killed, workersOf } from '../verify/drill/service.ts';
import { setUpCatalogue } from '../verify/drill/setup.ts';
import type { StoredOrder } from '../verify/drill/stored.ts';
import { catalogueOf, observed, type Catalogue } from '../verify/drill/catalogue.ts';
import { amountsOf } from '../verify/kit/model.ts';
import { FeedReader, type FeedChange } from '../verify/observer/feed.ts';
import { walk, type Status } from '../verify/observer/order-states.ts';
import type { ServiceAnswer, OrderBody } from '../verify/observer/requests.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { onDatabase, spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { until } from '../verify/kit/until.ts';
import { listen } from '../verify/kit/ports.ts';

const DRILL = fileURLToPath(new URL('../verify/drill/crash.ts', import.meta.url));
const COMMANDS_MIN = 600;

function runDrill(...args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [DRILL, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('close', (code) => resolve({ code, output }));
  });
}

test('kill -9 of service, backend, postmaster and all of them, and SIGTERM, under load: nothing is lost or duplicated', async () => {
  const { code, output } = await runDrill(
    '--cycles',
    '5',
    '--seconds-per-cycle',
    '0.5',
    '--connections',
    '16',
  );
  assert.equal(code, 0, output);
  assert.match(output, /^cycles +5$/m);
  for (const kind of ['service', 'backend', 'postmaster', 'everything', 'stop'])
    assert.match(output, new RegExp(`^│ ${kind} +│ 1 `, 'm'));
  assert.match(output, /^checked [1-9]\d* orders in .*: 0 violations$/m);
  assert.match(output, /, 0 not settled$/m);
});

test('the drill refuses unknown flags and invalid values with a one-line message, and its help lists the flags', async () => {
  for (const args of [
    ['--cycles', 'many'],
    ['--cycles', '1.5'],
    ['--cycle', '3'],
    ['--seconds-per-cycle', '0'],
  ]) {
    assert.throws(() => readOptions(args), UsageError);
  }
  const refused = await runDrill('--cycles', 'many');
  assert.deepEqual(refused, { code: 2, output: '--cycles must be a number above 0\n' });
  assert.match(HELP, /--cycles N[^]*--seed S[^]*--seconds-per-cycle S[^]*--keep/);
});

const database = await createDatabase();
const directory = await temporaryDirectory();
let service: ServiceProcess;
let verdict: () => Promise<DrillVerdict>;
let client: pg.Client;
after(async () => {
  await client?.end();
  await service?.stop();
  await database.drop();
  await directory.remove();
});

before(async () => {
  service = await spawnService({
    ...onDatabase(database.url),
    LOG_LEVEL: 'warn',
    SLUICE_WORKERS: '2',
  });
  assert.equal(await service.ready(), true, service.output());
  const { origin } = service;
  const { catalogue, keys } = await setUpCatalogue(origin);
  const file = join(directory.path, 'ledger.jsonl');
  const options = { urls: [origin], catalogue, keys, seed: 1, connections: 8 };
  const driver = await startDriver({ ...options, file });
  const untilDone = (commands: number): Promise<void> =>
    until(async () => {
      const { acknowledged, violations } = await driver.progress();
      return violations.length > 0 || acknowledged.order + acknowledged.report >= commands;
    }, `${commands} commands`);
  await untilDone(COMMANDS_MIN / 2);
  const workers = await workersOf(service.pid);
  assert.equal(workers.length, 2);
  await killed(workers.slice(0, 1));
  await untilDone(COMMANDS_MIN);
  const finished = await driver.finish();
  assert.deepEqual([finished.unsettled, finished.violations], [0, []]);
  verdict = () => checkDrill({ file, origin, keys, database_url: database.url });
  client = await connect(database.adminUrl);
  await client.query('set session_replication_role = replica'); // disables foreign keys, so that the data can be tampered with
});

/** Applies the change, runs the check, and reverts the change. */
async function verdictAfter(...statements: string[]): Promise<string> {
  const tables = ['orders', 'order_item', 'order_history', 'stock', 'stock_movement'];
  for (const table of tables) await client.query(`create table ${table}_kept as table ${table}`);
  for (const text of statements) assert.notEqual((await client.query(text)).rowCount, 0, text);
  try {
    return (await verdict()).violations.join('\n');
  } finally {
    for (const table of tables) {
      await client.query(`delete from ${table}`);
      await client.query(`insert into ${table} overriding system value table ${table}_kept`);
      await client.query(`drop table ${table}_kept`);
    }
  }
}

const someOrder = (status: number): string =>
  `(select id from orders where status = ${status} and not is_backorder order by id desc limit 1)`;

test('kill -9 of one of two workers under load: the check finds no violation', async () => {
  const { violations, orders } = await verdict();
  assert.deepEqual(violations, []);
  assert.ok(orders > 100);
});

test('the check detects a lost acknowledged order, and names the ledger lines that prove it', async () => {
  const id = `(select min(id) from orders)`;
  const found = await verdictAfter(
    `delete from order_item where order_id = ${id}`,
    `delete from order_history where order_id = ${id}`,
    `delete from orders where id = ${id}`,
  );
  assert.match(found, /order D\S+ was acknowledged but is not stored\. \(lines \d+, \d+/);
});

test('the check detects an order that was never sent', async () => {
  const found = await verdictAfter(`update orders set order_number = 'forged' where id = ${someOrder(1)}`);
  assert.match(found, /order forged is stored but was never sent/);
});

test('the check detects a duplicate deduction, in the movements of the order and in the stock', async () => {
  const movement = `(select min(id) from stock_movement where order_id is not null)`;
  const found = await verdictAfter(
    `update stock set quantity = quantity + m.delta from stock_movement m
     where m.id = ${movement} and stock.variant_id = m.variant_id`,
    `insert into stock_movement (variant_id, delta, quantity_after, kind, order_id, actor)
     select variant_id, delta, quantity_after, kind, order_id, actor from stock_movement where id = ${movement}`,
  );
  assert.match(found, /was deducted too many times/);
  assert.match(found, /quantity of \S+ is \d+, and \d+ follows from the ledger/);
});

test('the check detects a history that no report explains, even if its steps are legal', async () => {
  const found = await verdictAfter(
    `insert into order_history (order_id, from_status, to_status, source)
     select id, 1, 9, 'channel' from orders where id = ${someOrder(1)}`,
    `update orders set status = 9 where id = ${someOrder(1)}`,
  );
  assert.match(found, /is in state 9, but the last acknowledged is 1/);
  assert.match(found, /its history \S.* → 9 does not come from the reports/);
});

test('the check detects a lost acknowledged report', async () => {
  const found = await verdictAfter(
    `delete from order_history where to_status = 88 and order_id = ${someOrder(88)}`,
    `update orders set status = 1 where id = ${someOrder(88)}`,
  );
  assert.match(found, /state 88 was acknowledged, but is not in its history/);
});

test('the check detects a counter that changed without a command', async () => {
  const found = await verdictAfter(
    `update stock set unshipped = unshipped + 1
     where variant_id = (select id from variant where code = 'plain-0-V')`,
  );
  assert.match(found, /unshipped of plain-0-V is \d+, and \d+ follows from the ledger/);
  assert.match(found, /counters have drifted: \[\{.*plain-0-V/);
});

test('the feed reader detects a step that the order feed omits, repeats or invents', () => {
  const accepted: FeedChange = { order_number: 'N', previous_status: null, status: 1 };
  const prepared: FeedChange = { order_number: 'N', previous_status: 1, status: 2 };
  const told = (...changes: FeedChange[]): string => {
    const reader = new FeedReader([]);
    reader.told(changes);
    return reader.judge(new Map([['N', [1, 2]]])).join('\n');
  };
  assert.equal(told(accepted, prepared), '');
  assert.match(told(), /shows nothing for order N, but 1 → 2 is stored/);
  assert.match(told(accepted), /shows 1 for order N, but 1 → 2 is stored/);
  assert.match(told(prepared), /shows the step 1 → 2 of order N after null/);
  assert.match(told(accepted, accepted, prepared), /shows the step null → 1 of order N after 1/);
  assert.match(
    told(accepted, prepared, { ...accepted, order_number: 'M' }),
    /shows 1 for order M, but nothing/,
  );
});

const CATALOGUE = smallCatalogue();
const SEEN = observed(CATALOGUE);
const BODY: OrderBody = {
  order_number: 'N',
  recipient_name: 'Kim',
  recipient_phone: '1',
  shipping_address: 'Seoul',
  status: 1,
  is_backorder: false,
  items: [{ sku: '0-plain-0-a', quantity: 2, unit_price: 3 }],
};
const ORDER: Command = { kind: 'order', channel: 0, body: BODY };
const REPORT: Command = { kind: 'report', channel: 0, order_number: 'N', status: 2 };

const said = (status: number, json: object): ServiceAnswer => ({
  status,
  text: JSON.stringify(json),
  request_id: 'r',
  retry_after: null,
});
/** A response with the order as the service shows it. */
function shown(
  status: number,
  { channel, body, ...fields }: { channel: number; body: OrderBody; id?: number; now?: number },
): ServiceAnswer {
  const { order_number, recipient_name, items } = body;
  const { total_amount, unit_prices } = amountsOf(items, 1_000_000);
  const lines = items.map(({ sku, quantity }, place) => {
    const { product_code, product_name } = SEEN.channels[channel]?.skus.find((one) => one.sku === sku) ?? {};
    return { product_code, product_name, quantity, unit_price: unit_prices[place] };
  });
  const { id = 1, now = body.status } = fields;
  const created_at = '2026-11-15T09:30:00+09:00';
  return said(status, {
    data: { id, order_number, status: now, total_amount, recipient_name, items: lines, created_at },
  });
}
const taken = (status: 200 | 201, fields: { id?: number; now?: number } = {}): ServiceAnswer =>
  shown(status, { channel: 0, body: BODY, ...fields });
const REFUSED = said(422, { error: 'Not enough stock for SKU 0-plain-0-a' });

const CANNOT_BE: [name: string, complaint: RegExp, facts: Fact[]][] = [
  [
    'created twice',
    /answered 201 twice.* \(lines 1, 2, 3, 4\)/,
    [
      { sent: 2, again: 1 },
      { answered: 2, answer: taken(201) },
    ],
  ],
  [
    'refused after it was acknowledged',
    /had been accepted, but its resend was refused/,
    [
      { sent: 2, again: 1 },
      { answered: 2, answer: REFUSED },
    ],
  ],
  [
    'another order under the same number',
    /changed its id from 1 to 2/,
    [
      { sent: 2, again: 1 },
      { answered: 2, answer: taken(200, { id: 2 }) },
    ],
  ],
  [
    'back in an earlier state',
    /shows status 1 on a resend, but its status can only be 2/,
    [
      { sent: 2, command: REPORT },
      { answered: 2, answer: taken(200, { now: 2 }) },
      { sent: 3, again: 1 },
      { answered: 3, answer: taken(200) },
    ],
  ],
  [
    'not found after it was acknowledged',
    /the report 2 on order N was answered 404/,
    [
      { sent: 2, command: REPORT },
      { answered: 2, answer: said(404, { error: 'no' }) },
    ],
  ],
  [
    'returned to another channel',
    /order N belongs to Channel 1, yet was answered 200/,
    [
      { sent: 2, command: { ...ORDER, channel: 1 } },
      { answered: 2, answer: taken(200) },
    ],
  ],
  [
    'report of another channel accepted',
    /order N belongs to Channel 1, yet a report on it was answered 200/,
    [
      { sent: 2, command: { ...REPORT, channel: 1 } },
      { answered: 2, answer: taken(200, { now: 2 }) },
    ],
  ],
  [
    'shipped and cancelled',
    /the report 88 on order N was accepted, but this transition is not allowed/,
    [
      { sent: 2, command: { ...REPORT, status: 3 } },
      { sent: 3, command: { ...REPORT, status: 88 } },
      { answered: 2, answer: taken(200, { now: 3 }) },
      { answered: 3, answer: taken(200, { now: 88 }) },
    ],
  ],
  [
    'a count refused as stale without another client',
    /the count of line 3 was answered as stale in line 4, although there is no other client/,
    [
      { sent: 2, command: { kind: 'count', variant_code: 'counted-0-V', expected_quantity: 1, quantity: 2 } },
      { answered: 2, answer: said(409, { error: 'no', code: 'stale' }) },
    ],
  ],
];

for (const [name, complaint, facts] of CANNOT_BE) {
  test(`impossible responses are violations: ${name}`, () => {
    const account = new Account(CATALOGUE);
    const all: Fact[] = [{ sent: 1, command: ORDER }, { answered: 1, answer: taken(201) }, ...facts];
    for (const [index, fact] of all.entries()) account.add(index + 1, fact);
    assert.match([...account.violations].join('\n'), complaint);
  });
}

test('a cancellation by the service is accepted only for an unpaid order of a channel with an expiry', () => {
  const body = { ...BODY, status: 0 as const };
  const complaints = (expires: boolean): string => {
    const catalogue = smallCatalogue();
    const account = new Account({
      ...catalogue,
      channels: catalogue.channels.map((one) => ({ ...one, expires })),
    });
    const facts: Fact[] = [
      { sent: 1, command: { kind: 'order', channel: 0, body } },
      { answered: 1, answer: shown(201, { channel: 0, body }) },
      { sent: 2, again: 1 },
    ];
    for (const [index, fact] of facts.entries()) account.add(index + 1, fact);
    assert.equal(account.maybeExpired().length, expires ? 1 : 0);
    account.add(4, { answered: 2, answer: shown(200, { channel: 0, body, now: 88 }) });
    assert.deepEqual(account.maybeExpired(), []);
    return [...account.violations].join('\n');
  };
  assert.equal(complaints(true), '');
  assert.match(complaints(false), /shows status 88 on a resend, but its status can only be 0/);

  const fault = (from: Status, source: string, isAsked: boolean, mayExpire: boolean) =>
    cancellationFault({ history: [{ from, to: 88, source }] } as StoredOrder, { isAsked, mayExpire });
  assert.deepEqual(
    [fault(0, 'service', false, true), fault(1, 'channel', true, true), fault(0, 'channel', true, false)],
    [null, null, null],
  );
  assert.match(fault(1, 'service', false, true) ?? '', /may not/);
  assert.match(fault(0, 'service', true, false) ?? '', /may not/);
  assert.match(fault(0, 'channel', false, true) ?? '', /no report cancelled it/);
});

test('the driver remembers an order that may still expire, even if it was refused before it was accepted', () => {
  const catalogue = smallCatalogue();
  const account = new Account({
    ...catalogue,
    channels: catalogue.channels.map((one) => ({ ...one, expires: true })),
  });
  const scarce = [{ sku: '0-contended-0-a', quantity: 2, unit_price: 3 }];
  const body = { ...BODY, status: 0 as const, items: scarce };
  const rival = { ...body, order_number: 'M', items: [{ ...scarce[0]!, quantity: 500 }] };
  const facts: Fact[] = [
    { sent: 9, command: { kind: 'order', channel: 0, body: rival } },
    { sent: 1, command: { kind: 'order', channel: 0, body } },
    { unknown: 1, reason: 'ECONNRESET' },
    { sent: 2, again: 1 },
    { answered: 2, answer: said(422, { error: 'Not enough stock for SKU 0-contended-0-a' }) },
    { sent: 3, again: 1 },
    { answered: 3, answer: shown(201, { channel: 0, body }) },
  ];
  for (const [index, fact] of facts.entries()) account.add(index + 1, fact);
  account.forget('N');
  assert.deepEqual(
    account.maybeExpired().map(({ number }) => number),
    [1],
  );
  account.add(8, { sent: 4, again: 1 });
  account.add(9, { answered: 4, answer: shown(200, { channel: 0, body, now: 88 }) });
  account.forget('N');
  assert.equal(account.observer.orders.has('N'), false);
  assert.deepEqual([...account.violations], []);
});

test('a 201 after a 200 for the same order is detected as a lost order', () => {
  const account = new Account(CATALOGUE);
  const facts: Fact[] = [
    { sent: 1, command: ORDER },
    { unknown: 1, reason: 'ECONNRESET' },
    { sent: 2, again: 1 },
    { answered: 2, answer: taken(200) },
    { sent: 3, again: 1 },
    { answered: 3, answer: taken(201) },
  ];
  for (const [index, fact] of facts.entries()) account.add(index + 1, fact);
  assert.match(
    [...account.violations].join('\n'),
    /had been accepted, but was accepted as new again: the first one was lost/,
  );
});

test('after an attempt with an unknown outcome, a refusal and then a 200 without any 201 are no violation', () => {
  const account = new Account(CATALOGUE);
  const scarce = { ...BODY, items: [{ sku: '0-contended-0-a', quantity: 2, unit_price: 3 }] };
  const facts: Fact[] = [
    // Together the orders exceed the stock, so that a refusal is possible.
    {
      sent: 9,
      command: {
        ...ORDER,
        body: { ...scarce, order_number: 'M', items: [{ ...scarce.items[0]!, quantity: 500 }] },
      },
    },
    { sent: 1, command: { kind: 'order', channel: 0, body: scarce } },
    { unknown: 1, reason: 'ECONNRESET' },
    { sent: 2, again: 1 },
    { answered: 2, answer: said(422, { error: 'Not enough stock for SKU 0-contended-0-a' }) },
  ];
  for (const [index, fact] of facts.entries()) account.add(index + 1, fact);
  assert.equal(account.doubtful().length, 1);
  account.add(6, { sent: 3, again: 1 });
  account.add(7, { answered: 3, answer: shown(200, { channel: 0, body: scarce }) });
  assert.deepEqual([...account.violations], []);
  assert.deepEqual(account.totals.settled, 1);
});

function smallCatalogue(): Catalogue {
  return catalogueOf([1, 2].map((id) => ({ id, name: `Channel ${id}`, rate: '1' })));
}

test('nonsense responses: the driver stops at its limit of violations and still reports its progress', async () => {
  const nonsense = createServer((_request, response) => response.writeHead(418).end('{}'));
  const driver = await startDriver({
    urls: [`http://127.0.0.1:${await listen(nonsense)}`],
    file: join(directory.path, 'nonsense.jsonl'),
    seed: 1,
    catalogue: smallCatalogue(),
    keys: ['a', 'b'],
    connections: 8,
  });
  try {
    const ask = () => Promise.race([driver.progress(), sleep(20_000, null, { ref: false })]);
    await until(async () => {
      const progress = await ask();
      assert.ok(progress, 'the driver no longer answers');
      return progress.violations.length >= 100;
    }, 'the limit of violations is reached');
    assert.ok(await ask(), 'the driver no longer answers');
  } finally {
    await driver.stop();
    nonsense.closeAllConnections();
    nonsense.close();
  }
});

test('40,000 commands: the driver keeps open orders and a sample of the others in memory, not all', () => {
  const [account, random] = [new Account(CATALOGUE), new Random(1)];
  const plan = new TrafficPlan(CATALOGUE, account, random);
  const status = new Map<string, number>();
  let line = 0;
  let number = 0;
  /** A service that accepts every order and executes every legal report. */
  const answerTo = (command: Command, id: number): ServiceAnswer => {
    if (command.kind === 'adjust' || command.kind === 'count')
      return said(200, { data: { quantity: command.kind === 'count' ? command.quantity : 0 } });
    const name = command.kind === 'order' ? command.body.order_number : command.order_number;
    const known = account.observer.orders.get(name);
    if (!known || known.channel !== command.channel)
      return said(command.kind === 'order' ? 500 : 404, { error: 'no' });
    const now = status.get(name);
    const view = { channel: known.channel, body: known.body, id: known.shown?.id ?? id };
    if (command.kind === 'order') {
      status.set(name, now ?? known.body.status);
      return shown(now === undefined ? 201 : 200, { ...view, now: now ?? known.body.status });
    }
    const from = now as Status;
    if (from !== command.status && walk(from, command.status) === null)
      return said(409, {
        error: 'no',
        code: 'invalid_transition',
        current_status: from,
        requested_status: command.status,
      });
    status.set(name, command.status);
    return shown(200, { ...view, now: command.status });
  };
  const carryOut = (command: Command, again: number | null): number => {
    const sent = ++number;
    account.add(++line, again === null ? { sent, command } : { sent, again });
    account.add(++line, { answered: sent, answer: answerTo(command, sent) });
    return again ?? sent;
  };
  while (number < 40_000) {
    const task = plan.next();
    if (!('sends' in task)) continue;
    const numbers = task.sends.map((send) =>
      'command' in send
        ? carryOut(send.command, null)
        : carryOut(account.commands.get(send.again)?.command as Command, send.again),
    );
    finish(task, numbers, plan, account);
  }
  assert.ok(account.observer.orders.size < 8_000, `${account.observer.orders.size} orders`);
  assert.ok(account.commands.size < 40_000, `${account.commands.size} commands`);
  assert.ok(account.commandsOf('adjust').length + account.commandsOf('count').length < 1_000);
});
