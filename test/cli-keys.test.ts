// Channels and tokens from the command line: created, shown once, replaced, revoked.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createSealer, hashKey } from '../src/platform/secrets/keys.ts';
import { cliBench } from './cli-run.ts';
import { TEST_SECRET } from '../verify/kit/service.ts';

const bench = await cliBench();

const keyIn = (text: string): string => /sluice_[0-9a-f-]{36}/.exec(text)?.[0] ?? '';
const stored = (key: string): Promise<unknown[]> =>
  bench.rows('select id from channel where key_hash = $1', [hashKey(key)]);

test('channel create: the key is printed, found by its hash and stored sealed, and appears nowhere else', async () => {
  const created = await bench.ok(['channel', 'create', '--name', '도쿄 shop', '--country', 'jp']);
  const key = keyIn(created.stdout);
  const [row] = await bench.rows('select * from channel where key_hash = $1', [hashKey(key)]);
  assert.equal(row.name, '도쿄 shop');
  assert.equal(row.currency_code, 'JPY');
  assert.equal(row.is_active, true);
  // Not by `hashKey`: the hashes of stored keys must stay the same.
  assert.deepEqual(row.key_hash, createHash('sha256').update(key).digest());
  assert.equal(await createSealer(TEST_SECRET).open(row, `channel:${row.id}`), key);
  assert.ok(!row.key_sealed.includes(key));
  const audit = JSON.stringify(await bench.rows('select * from audit'));
  assert.match(audit, /channel\.create/);
  assert.ok(!audit.includes(key));
});

test('channel create --inactive --api-url --json: the audit omits the query of the URL', async () => {
  const api_url = 'https://shop.example/info?token=abc';
  const args = ['channel', 'create', '--name', 'B', '--inactive', '--api-url', api_url, '--json'];
  const made = (await bench.ok(args)).json();
  assert.equal(made.api_url, api_url);
  assert.equal(made.is_active, false);
  assert.equal(made.currency_code, 'KRW');
  assert.match(made.api_key, /^sluice_/);
  const [entry] = await bench.rows('select after from audit where subject = $1', [`channel:${made.id}`]);
  assert.equal(entry.after.api_url, 'https://shop.example/info?…');
});

test('channel list shows the channels and no keys', async () => {
  const { stdout } = await bench.ok(['channel', 'list']);
  assert.match(stdout, /도쿄 shop +JP +JPY +yes/);
  assert.match(stdout, /B +- +KRW +no/);
  assert.equal(keyIn(stdout), '');
  const list = (await bench.ok(['channel', 'list', '--json'])).json();
  assert.equal(list.length, 2);
  assert.ok(!('key_sealed' in list[0]) && !('key_hash' in list[0]) && !('api_key' in list[0]));
});

test('channel rotate: the new key replaces the old one, and the rotation is audited', async () => {
  const { id, api_key: old } = (await bench.ok(['channel', 'create', '--name', 'C', '--json'])).json();
  assert.deepEqual(await stored(old), [{ id }]);
  const { stdout } = await bench.ok(['channel', 'rotate', String(id)]);
  assert.deepEqual(await stored(old), []);
  assert.deepEqual(await stored(keyIn(stdout)), [{ id }]);
  const entries = await bench.rows('select action from audit where subject = $1 order by id', [
    `channel:${id}`,
  ]);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['channel.create', 'channel.rotate_key'],
  );
});

test('channel rotate of an unknown channel: exit 1 and a one-line message', async () => {
  const { code, stderr } = await bench.run(['channel', 'rotate', '4711']);
  assert.equal(code, 1);
  assert.equal(stderr, 'sluice: there is no channel 4711; see "sluice channel list".\n');
});

test('channel rate-limit: the limit is set, shown, removed and audited; wrong numbers are refused', async () => {
  const { id } = (await bench.ok(['channel', 'create', '--name', 'D', '--json'])).json();
  const command = ['channel', 'rate-limit', String(id)];
  const { stdout } = await bench.ok([...command, '--per-minute', '1200', '--burst', '50']);
  assert.equal(stdout, `Channel ${id} "D": 1,200 requests a minute, 50 at once.\n`);
  const list = (await bench.ok(['channel', 'list', '--json'])).json() as { id: number; rate_limit: object }[];
  assert.deepEqual(list.find((one) => one.id === id)?.rate_limit, { requests_per_minute: 1200, burst: 50 });
  assert.equal((await bench.ok([...command, '--json'])).json().rate_limit, null);
  for (const wrong of [
    ['--per-minute', '10'],
    ['--burst', '1'],
    ['--per-minute', '0', '--burst', '1'],
  ]) {
    const { code, stderr } = await bench.run([...command, ...wrong]);
    assert.equal(code, 2);
    assert.match(stderr, /^sluice: --(per-minute|burst)/);
  }
  const entries = await bench.rows(
    `select before, after from audit where subject = $1 and action = 'channel.set_rate_limit' order by id`,
    [`channel:${id}`],
  );
  assert.deepEqual(
    entries.map(({ before, after }) => [before, after]),
    [
      [null, { requests_per_minute: 1200, burst: 50 }],
      [{ requests_per_minute: 1200, burst: 50 }, null],
    ],
  );
});

test('channel signing: a secret is printed once, sealed and not in the audit; the last one stays while signing is required', async () => {
  const { id } = (await bench.ok(['channel', 'create', '--name', 'E', '--json'])).json();
  const required = ['channel', 'signing', String(id), 'required'];
  const early = await bench.run(required);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /^sluice: signing cannot be required while the channel has no signing secret/);
  const { stdout } = await bench.ok(['channel', 'add-signing-secret', String(id)]);
  const secret = /sls_[\w-]{43}/.exec(stdout)?.[0] ?? '';
  const [row] = await bench.rows(
    'select id, secret_sealed as key_sealed, sealed_with from signing_secret where channel_id = $1',
    [id],
  );
  assert.equal(await createSealer(TEST_SECRET).open(row, `channel:${id}:signing`), secret);
  assert.equal(await createSealer(TEST_SECRET).open(row, `channel:${id}`), null);
  assert.match((await bench.ok(required)).stdout, /signing is required\.$/m);
  const remove = ['channel', 'remove-signing-secret', String(id)];
  const last = await bench.run([...remove, String(row.id)]);
  assert.equal(last.code, 1);
  assert.match(last.stderr, /^sluice: the last signing secret cannot be removed/);
  assert.match((await bench.run([...remove, '4711'])).stderr, /has no signing secret 4711\./);
  assert.equal((await bench.run(['channel', 'signing', String(id), 'maybe'])).code, 2);
  await bench.ok(['channel', 'signing', String(id), 'off']);
  assert.deepEqual((await bench.ok([...remove, String(row.id), '--json'])).json().signing_secrets, []);
  assert.ok(!JSON.stringify(await bench.rows('select * from audit')).includes(secret));
});

test('token create, list and revoke: after a revocation the name can be used again', async () => {
  const create = ['token', 'create', '--name', 'warehouse', '--role', 'operator'];
  const { stdout } = await bench.ok(create);
  const token = /sluice_admin_\S+/.exec(stdout)?.[0] ?? '';
  const live = () =>
    bench.rows('select role from admin_token where token_hash = $1 and revoked_at is null', [hashKey(token)]);
  assert.deepEqual(await live(), [{ role: 'operator' }]);

  const again = await bench.run(create);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /there is already a token "warehouse"/);

  assert.match((await bench.ok(['token', 'list'])).stdout, /warehouse +operator +.* never +-/);
  await bench.ok(['token', 'revoke', 'warehouse']);
  assert.deepEqual(await live(), []);
  const twice = await bench.run(['token', 'revoke', 'warehouse']);
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /no valid token "warehouse"/);

  await bench.ok(create);
  const tokens = (await bench.ok(['token', 'list', '--json'])).json();
  assert.equal(tokens.length, 2);
  assert.ok(!JSON.stringify(tokens).includes('hash'));
  const entries = await bench.rows(`select action from audit where subject = 'token:warehouse' order by id`);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['token.create', 'token.revoke', 'token.create'],
  );
});

test('channel limits: set, replaced and removed, audited; wrong numbers are refused', async () => {
  const { id } = (await bench.ok(['channel', 'create', '--name', 'Limited', '--json'])).json();
  const command = ['channel', 'limits', String(id)];
  const set = await bench.ok([...command, '--line', '100', '--unpaid-percent', '20']);
  assert.match(set.stdout, /"Limited": line_quantity_max 100, unpaid_percent_max 20\.\n$/);
  const json = (await bench.ok([...command, '--unpaid', '0', '--backordered', '7', '--json'])).json();
  assert.deepEqual(json, {
    line_quantity_max: null,
    unpaid_quantity_max: 0,
    unpaid_percent_max: null,
    backordered_quantity_max: 7,
  });
  assert.match((await bench.ok(command)).stdout, /"Limited": no limits\.\n$/);
  for (const [option, value] of [
    ['--line', '0'],
    ['--unpaid-percent', '101'],
    ['--backordered', '2147483648'],
    ['--unpaid', 'x'],
  ] as const)
    assert.match(
      (await bench.run([...command, option, value])).stderr,
      new RegExp(`${option} must be a whole number`),
    );
  const entries = await bench.rows(
    `select action from audit where subject = $1 and action = 'channel.set_limits'`,
    [`channel:${id}`],
  );
  assert.equal(entries.length, 3);
});

test('channel create --order-number-prefix, channel prefix: set, changed, cleared, and refused when blank', async () => {
  const create = ['channel', 'create', '--name', 'Osaka', '--order-number-prefix', 'OSA-', '--json'];
  const { id, order_number_prefix } = (await bench.ok(create)).json();
  assert.equal(order_number_prefix, 'OSA-');
  const set = await bench.ok(['channel', 'prefix', String(id), '--set', 'OS-']);
  assert.match(set.stdout, /order numbers must start with OS-\n$/);
  assert.match((await bench.ok(['channel', 'list'])).stdout, /Osaka.* OS- /);
  assert.match((await bench.ok(['channel', 'prefix', String(id)])).stdout, /accepts any order number/);
  await bench.ok(['channel', 'prefix', String(id), '--set', 'OS-']);
  const taken = await bench.run(['channel', 'create', '--name', 'Second', '--order-number-prefix', 'OS-2']);
  assert.match(taken.stderr, /the prefix OS-2 overlaps with OS- of channel \d+ "Osaka"/);
  const blank = await bench.run(['channel', 'prefix', String(id), '--set', ' ']);
  assert.match(blank.stderr, /must not be blank/);
  const long = await bench.run([...create, '--order-number-prefix', 'X'.repeat(51)]);
  assert.match(long.stderr, /at most 50 characters.* "sluice channel create --help"/);
});
