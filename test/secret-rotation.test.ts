// The secret that seals channel keys: a sealed key is bound to its channel, and the secret is replaced without downtime,
// also when a rotation is killed midway.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type pg from 'pg';
import { readConfig } from '../src/platform/config/config.ts';
import { createSealer, hashKey, newApiKey } from '../src/platform/secrets/keys.ts';
import { beginRotation, endRotation, openSecrets } from '../src/platform/secrets/secret.ts';
import { sealedColumns } from '../src/start/seals.ts';
import { createService } from '../src/start/service.ts';
import { insertSigningSecret, updateSigningMode } from '../src/core/channel-policy/store.ts';
import { insertChannel, replaceKey } from '../src/core/channels/store.ts';
import { lockSealing } from '../src/platform/secrets/seal-store.ts';
import { cliBench, ROOT, sluice } from './cli-run.ts';
import { connect } from '../verify/kit/connection.ts';
import { bareEnvironment } from '../verify/kit/environment.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { spawnService, temporaryDirectory } from '../verify/kit/process.ts';
import { ADMIN_TOKEN, call, TEST_SECRET } from '../verify/kit/service.ts';
import { signatureOf } from './kit/signing.ts';
import { startStubChannel } from '../verify/kit/stub-channel.ts';
import { until } from '../verify/kit/until.ts';

const OLD = TEST_SECRET;
const NEW = 'new-secret-0123456789-0123456789-0123456';
const both = (current: string, previous: string) => createSealer(async () => ({ current, previous }));

const bench = await cliBench();
const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));
const ROTATE = { env: { SLUICE_SECRET: NEW, SLUICE_SECRET_PREVIOUS: OLD } };

test('a sealed key opens only for its channel and with its secret', async () => {
  const sealer = createSealer(OLD);
  const key = newApiKey();
  const sealed = await sealer.seal(key, 'channel:1');
  assert.equal(await sealer.open(sealed, 'channel:1'), key);
  assert.equal(await sealer.open(sealed, 'channel:2'), null);
  assert.equal(await createSealer(NEW).open(sealed, 'channel:1'), null);
  assert.equal(await both(NEW, OLD).open(sealed, 'channel:1'), key);
  // Sealed before secrets had names, or by a version that keeps the name of the previous key's secret: the encryption itself
  // shows which secret is the right one.
  for (const sealed_with of [null, await createSealer(NEW).current()])
    assert.equal(await both(NEW, OLD).open({ ...sealed, sealed_with }, 'channel:1'), key);
  for (let at = 0; at < sealed.key_sealed.length; at += 7) {
    const key_sealed = Buffer.from(sealed.key_sealed);
    key_sealed[at] = (key_sealed[at] ?? 0) ^ 1;
    assert.equal(await sealer.open({ ...sealed, key_sealed }, 'channel:1'), null, `byte ${at}`);
  }
  assert.equal(await sealer.open({ ...sealed, key_sealed: Buffer.alloc(3) }, 'channel:1'), null);
});

test('a sealed value with a shortened tag is not opened, even if the tag is right', async () => {
  const iv = randomBytes(12);
  const key = Buffer.from(hkdfSync('sha256', OLD, '', 'sluice channel keys', 32));
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 4 }).setAAD(
    Buffer.from('channel:1'),
  );
  cipher.final();
  const key_sealed = Buffer.concat([iv, cipher.getAuthTag()]);
  assert.equal(await createSealer(OLD).open({ key_sealed, sealed_with: null }, 'channel:1'), null);
});

const make = async (): Promise<{ id: number; api_key: string }> =>
  (await bench.ok(['channel', 'create', '--name', 'x', '--json'])).json();

/** A separate connection, closed after all tests. */
async function connection(): Promise<pg.Client> {
  const client = await connect(bench.database.url);
  stops.push(() => client.end());
  return client;
}

/** Inserts channels, each with a sealed key of its own. */
async function insertChannels(count: number): Promise<Map<number, string>> {
  const sealer = createSealer(OLD);
  const keys = new Map<number, string>();
  const ids = await bench.rows(
    `select nextval(pg_get_serial_sequence('channel', 'id'))::int as id from generate_series(1, $1::int)`,
    [count],
  );
  for (const { id } of ids) {
    const key = newApiKey();
    const { key_sealed, sealed_with } = await sealer.seal(key, `channel:${id}`);
    await bench.rows(
      `insert into channel (id, name, currency_code, key_hash, key_sealed, sealed_with)
       overriding system value values ($1, 'x', 'KRW', $2, $3, $4)`,
      [id, hashKey(key), key_sealed, sealed_with],
    );
    keys.set(id, key);
  }
  return keys;
}

const countBySecret = async (): Promise<number[]> => {
  const found = await bench.rows(
    'select count(*)::int as n from channel where sealed_with is not null group by sealed_with order by 1',
  );
  return found.map(({ n }) => n as number);
};

test('a rotation covers every sealed column of the schema', async () => {
  const columns = await bench.rows(
    `select table_name as table, column_name as sealed from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_sealed' order by 1`,
  );
  assert.deepEqual(
    (await sealedColumns())
      .map(({ table, sealed }) => ({ table, sealed }))
      .toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    columns,
  );
});

test('a sealed key that is copied to the row of another channel does not open', async () => {
  const [a, b] = [await make(), await make()];
  await bench.rows(
    'update channel set key_sealed = (select key_sealed from channel where id = $1) where id = $2',
    [a.id, b.id],
  );
  const [row] = await bench.rows('select key_sealed, sealed_with from channel where id = $1', [b.id]);
  assert.equal(await createSealer(OLD).open(row, `channel:${b.id}`), null);
  const { code, stderr } = await bench.run(['secret', 'rotate'], ROTATE);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`opens the sealed key of channel ${b.id};`));
  // The other channel is rotated anyway, and a new key repairs this one.
  assert.equal(
    (await bench.rows('select from channel where sealed_with = $1', [await createSealer(NEW).current()]))
      .length,
    1,
  );
  await bench.ok(['channel', 'rotate', String(b.id)], ROTATE);
  assert.match(
    (await bench.ok(['secret', 'rotate'], ROTATE)).stdout,
    /SLUICE_SECRET_PREVIOUS can be removed/,
  );
  await bench.rows('delete from channel');
});

test('a rotation that was killed midway is completed by the next run: no key is lost, and another run changes nothing', async () => {
  const keys = await insertChannels(500);
  // One key from before secrets had names.
  const first = [...keys.keys()][0];
  await bench.rows('update channel set sealed_with = null where id = $1', [first]);
  const holder = await connection();
  await holder.query('begin');
  const [last] = await bench.rows('select max(id) as id from channel');
  await holder.query('select from channel where id = $1 for update', [last.id]);
  const child = spawn(process.execPath, [join(ROOT, 'src', 'start', 'cli.ts'), 'secret', 'rotate'], {
    env: { ...bareEnvironment(), ...bench.env, ...ROTATE.env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  stops.push(async () => void child.kill('SIGKILL'));
  // The rotation waits for the held row: the batches before it are committed, the batch of this row is not.
  await until(async () => {
    assert.equal(child.exitCode, null, 'the rotation ended before it was killed');
    return (await countBySecret()).length >= 2;
  }, 'some resealed keys');
  child.kill('SIGKILL');
  await ended;
  await holder.query('rollback');
  const [some = 0, more = 0] = await countBySecret();
  assert.ok(some > 0 && more > 0 && some + more >= 499, `${some} and ${more}`);

  const half = await bench.rows('select id, key_sealed, sealed_with from channel');
  for (const row of half) assert.equal(await both(NEW, OLD).open(row, `channel:${row.id}`), keys.get(row.id));

  const resumed = (await bench.ok(['secret', 'rotate', '--json'], ROTATE)).json();
  assert.equal(resumed.channels, 500);
  assert.ok(resumed.resealed > 0 && resumed.resealed < 500, `${resumed.resealed} were resealed`);
  const all = await bench.rows('select id, key_sealed, sealed_with from channel');
  for (const row of all)
    assert.equal(await createSealer(NEW).open(row, `channel:${row.id}`), keys.get(row.id));
  const again = await bench.ok(['secret', 'rotate'], ROTATE);
  assert.match(again.stdout, /^500 keys and secrets are sealed with the current secret, 0 of them now\.$/m);
  assert.match(again.stdout, /SLUICE_SECRET_PREVIOUS can be removed/);
  const audit = await bench.rows(
    `select after, before from audit where action = 'secret.rotate' order by id`,
  );
  assert.deepEqual(audit.at(-1)?.after, { resealed: resumed.resealed });
  assert.ok(!JSON.stringify(audit).includes('secret-0123'));
  await bench.rows('delete from channel');
});

interface LogLine {
  [field: string]: unknown;
  level: number;
  msg: string;
}

/** A separate service on the database of the bench, and its log lines. */
async function start(secrets: Record<string, string>, env: Record<string, string> = {}) {
  const lines: LogLine[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  const config = readConfig(
    {
      PORT: '0',
      SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
      ...secrets,
      ...env,
    },
    '.',
  );
  const service = await createService(
    config,
    { url: bench.database.url, secret: await openSecrets(config) },
    logger,
  );
  const origin = await service.listen();
  stops.push(() => service.stop());
  const admin = (method: string, path: string, body?: unknown) =>
    call(`${origin}/admin/v1${path}`, method, body, { authorization: `Bearer ${ADMIN_TOKEN}` });
  return { lines, admin, origin };
}

test('keys from before secrets had names: the log asks for a rotation only if the current secret does not open them', async () => {
  await insertChannels(2);
  await bench.rows('update channel set sealed_with = null');
  const asksToRotate = async (secrets: Record<string, string>): Promise<boolean> =>
    (await start(secrets)).lines.some(({ msg }) => /need the previous secret/.test(msg));
  assert.equal(await asksToRotate({ SLUICE_SECRET: OLD }), false);
  assert.equal(await asksToRotate({ SLUICE_SECRET: NEW, SLUICE_SECRET_PREVIOUS: OLD }), true);
  await bench.rows('delete from channel');
});

test('a rotation reseals signing secrets too: their signatures are accepted before, during and after it', async () => {
  const client = await connection();
  const sealer = createSealer(OLD);
  const fields = { name: 'x', country_code: null, api_url: null, is_active: true };
  const { channel, api_key } = await insertChannel(client, sealer, fields);
  const made = await insertSigningSecret(client, sealer, channel.id);
  await updateSigningMode(client, channel.id, 'required');
  const path = '/api/v1/inventory';
  const signedAt = async ({ origin }: { origin: string }): Promise<number> => {
    const headers = { 'x-api-key': api_key, ...signatureOf(made.secret, { method: 'GET', path }) };
    return (await call(`${origin}${path}`, 'GET', undefined, headers)).status;
  };
  const old = await start({ SLUICE_SECRET: OLD });
  const next = await start({ SLUICE_SECRET: NEW, SLUICE_SECRET_PREVIOUS: OLD });
  for (const service of [old, next]) assert.equal(await signedAt(service), 200);

  // A sealed secret copied from another channel does not open and is reported; the others are rotated.
  const { channel: other } = await insertChannel(client, sealer, fields);
  const foreign = await insertSigningSecret(client, sealer, other.id);
  const [{ secret_sealed: kept }] = await bench.rows(
    'select secret_sealed from signing_secret where id = $1',
    [foreign.id],
  );
  await bench.rows(
    'update signing_secret set secret_sealed = (select secret_sealed from signing_secret where id = $1) where id = $2',
    [made.id, foreign.id],
  );
  const { code, stderr } = await bench.run(['secret', 'rotate'], ROTATE);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`opens the sealed signing secret of channel ${other.id}; .*replace their`));
  await bench.rows('update signing_secret set secret_sealed = $1 where id = $2', [kept, foreign.id]);

  const rotated = await bench.ok(['secret', 'rotate'], ROTATE);
  assert.match(rotated.stdout, /^4 keys and secrets are sealed .* 1 of them now\.$/m);
  const last = await start({ SLUICE_SECRET: NEW });
  for (const service of [next, last]) assert.equal(await signedAt(service), 200);
  assert.ok(last.lines.every(({ level }) => level <= 30));
  const wrong = await start({ SLUICE_SECRET: 'wrong-secret-0123456789-0123456789-0123' });
  assert.ok(wrong.lines.some(({ msg }) => /does not open 2 of 2 signing secrets: .* 503/.test(msg)));
  assert.equal(await signedAt(wrong), 503);
  for (const table of ['signing_secret', 'channel']) await bench.rows(`delete from ${table}`);
});

test('rotation without downtime: services with both secrets work before, during and after it, and channels are not affected', async () => {
  const shop = await startStubChannel();
  stops.push(async () => shop.close());
  const old = await start({ SLUICE_SECRET: OLD });
  const made = async (service: typeof old) =>
    (await service.admin('POST', '/channels', { name: 'x', api_url: shop.url })).json.data as {
      id: number;
      api_key: string;
    };
  /** Whether the stub shop received the key of the channel. */
  const sends = async (service: typeof old, channel: { id: number; api_key: string }): Promise<boolean> => {
    await service.admin('POST', `/channels/${channel.id}/product-info`, { usercode: 'u' });
    return shop.keys.at(-1) === channel.api_key;
  };
  const first = await made(old);
  const next = await start({ SLUICE_SECRET: NEW, SLUICE_SECRET_PREVIOUS: OLD });
  assert.ok(next.lines.some(({ msg }) => /need the previous secret: run "sluice secret rotate"/.test(msg)));
  const second = await made(next);
  for (const channel of [first, second]) assert.ok(await sends(next, channel));
  const refused = await old.admin('POST', `/channels/${second.id}/product-info`, { usercode: 'u' });
  assert.equal(refused.status, 422, 'the service without the new secret reports it');
  assert.match(refused.json.error, /sealed with another secret/);
  await bench.ok(['secret', 'rotate'], ROTATE);
  for (const channel of [first, second]) {
    assert.ok(await sends(next, channel));
    const inventory = await call(`${old.origin}/api/v1/inventory`, 'GET', undefined, {
      'x-api-key': channel.api_key,
    });
    assert.equal(inventory.status, 200, 'the channel API needs no secret');
  }
  const last = await start({ SLUICE_SECRET: NEW });
  for (const channel of [first, second]) assert.ok(await sends(last, channel));
  assert.ok(last.lines.every(({ level }) => level <= 30));
  const dropped = await start({ SLUICE_SECRET: NEW, SLUICE_SECRET_PREVIOUS: OLD });
  assert.ok(dropped.lines.some(({ msg }) => /SLUICE_SECRET_PREVIOUS is no longer needed/.test(msg)));
});

test('a service whose secret opens no key reports it at the start, in the log and the metrics, and still serves', async () => {
  const [row] = await bench.rows('select count(*)::int as n from channel');
  assert.ok(row.n > 0);
  const wrong = await start({ SLUICE_SECRET: 'wrong-secret-0123456789-0123456789-0123' });
  const said = wrong.lines.filter(({ level }) => level === 50).map(({ msg }) => msg);
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', new RegExp(`does not open the sealed keys of ${row.n} of ${row.n} channels`));
  assert.match(
    await (await fetch(`${wrong.origin}/metrics`)).text(),
    new RegExp(`^sluice_closed_keys ${row.n}$`, 'm'),
  );
  assert.equal((await fetch(`${wrong.origin}/readyz`)).status, 200);
  const { code, stderr } = await bench.run(['secret', 'rotate'], {
    env: { SLUICE_SECRET: 'wrong-secret-0123456789-0123456789-0123' },
  });
  assert.equal(code, 1);
  assert.match(stderr, /no configured secret opens the sealed keys of channels /);
});

test('values of every kind that no secret opens are named at the start and by a rotation, with what to do', async () => {
  for (const table of ['signing_secret', 'channel']) await bench.rows(`delete from ${table}`);
  const { id } = await make();
  await bench.rows(`update channel set key_sealed = '\\x01'`);
  await bench.rows(
    `insert into signing_secret (channel_id, secret_sealed) values ($1, '\\x01'), ($1, '\\x02')`,
    [id],
  );
  await bench.rows(
    `insert into exchange_rate_source (id, kind, key_sealed, currencies, every_minutes, per_units, is_inverted)
     values (1, 'none', '\\x01', '{}', 60, 1, false)`,
  );
  const [webhook] = await bench.rows(
    `insert into webhook (url, events) values ('https://shop.example', '{}') returning id`,
  );
  await bench.rows(`insert into webhook_secret (webhook_id, secret_sealed) values ($1, '\\x01')`, [
    webhook.id,
  ]);
  const [account] = await bench.rows(
    `insert into account (email, role, password_hash, must_change_password)
     values ('a@shop.example', 'admin', 'x', false) returning id`,
  );
  await bench.rows(`insert into second_factor (account_id, secret_sealed) values ($1, '\\x01')`, [
    account.id,
  ]);
  const said = (await start({ SLUICE_SECRET: NEW })).lines.filter(({ level }) => level === 50);
  assert.deepEqual(
    said.map(({ msg, channels, webhooks, users }) => [msg.split(/[:.] /)[0], channels ?? webhooks ?? users]),
    [
      ['the secret does not open the sealed keys of 1 of 1 channels', [id]],
      ['the secret does not open 2 of 2 signing secrets', [id, id]],
      ['the secret does not open the key of the exchange rate source', undefined],
      ['the secret does not open the secrets of 1 webhooks', [webhook.id]],
      ['the secret does not open second factors', [account.id]],
    ],
  );
  const refusals = [
    ['channel', `the sealed key of channel ${id}`, 'they were sealed with, or rotate their keys'],
    [
      'signing_secret',
      `the sealed signing secret of channel ${id}`,
      'they were sealed with, or replace their signing secrets',
    ],
    [
      'exchange_rate_source',
      'the sealed key of the exchange rate source',
      'it was sealed with, or enter the key again',
    ],
    [
      'webhook_secret',
      `the sealed secret of webhook ${webhook.id}`,
      'they were sealed with, or rotate the secrets of these webhooks',
    ],
    [
      'second_factor',
      '1 second factor',
      'they were sealed with, or reset them ("sluice user reset-second-factor")',
    ],
  ] as const;
  for (const [table, values, otherwise] of refusals) {
    const { code, stderr } = await bench.run(['secret', 'rotate'], ROTATE);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `sluice: no configured secret opens ${values}; set SLUICE_SECRET_PREVIOUS to the secret ${otherwise}, and run this again.\n`,
    );
    if (table !== 'channel') await bench.rows(`delete from ${table}`);
    else {
      const { key_sealed, sealed_with } = await createSealer(OLD).seal(newApiKey(), `channel:${id}`);
      await bench.rows('update channel set key_sealed = $1, sealed_with = $2', [key_sealed, sealed_with]);
    }
  }
  const { stdout } = await bench.ok(['secret', 'rotate', '--json'], ROTATE);
  assert.deepEqual(JSON.parse(stdout), { resealed: 0, sealed: 1, channels: 1, signing_secrets: 0 });
});

test('a secret file that cannot be replaced, or that several machines have: with SLUICE_SECRET_PREVIOUS it stays as it is', async () => {
  // No draft fits beside a file with a name of this length, as none can be written beside a read-only file.
  const file = await bench.file('s'.repeat(246), NEW);
  const env = { SLUICE_SECRET: '', SLUICE_SECRET_FILE: file };
  const refused = await bench.run(['secret', 'rotate'], { env });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^sluice: .*sss cannot be replaced \(ENAMETOOLONG\)\. .*SLUICE_SECRET_PREVIOUS.*\n$/,
  );
  const previous = await bench.file('previous', OLD);
  const rotated = await bench.ok(['secret', 'rotate'], {
    env: { ...env, SLUICE_SECRET_PREVIOUS_FILE: previous },
  });
  assert.match(rotated.stdout, /SLUICE_SECRET_PREVIOUS can be removed/);
  assert.equal(await readFile(file, 'utf8'), NEW);
});

test('a key sealed with the old secret after a rotation is resealed by the next rotation', async () => {
  const { api_key } = await make();
  const [row] = await bench.rows('select sealed_with from channel where key_hash = $1', [hashKey(api_key)]);
  assert.equal(row.sealed_with, await createSealer(OLD).current());
  assert.match((await bench.ok(['secret', 'rotate'], ROTATE)).stdout, / 1 of them now/);
});

test('the secret file of the embedded database: each step is atomic, and an interrupted rotation is continued', async () => {
  const directory = await temporaryDirectory();
  const config = readConfig({ SLUICE_DATA_DIR: directory.path }, '.');
  await assert.rejects(
    openSecrets(config, async () => true),
    new RegExp(`${directory.path}/secret is missing, and the database has keys`),
  );
  assert.deepEqual(await readdir(directory.path), []);
  const secrets = await openSecrets(config, async () => false);
  const stored = (name: string): Promise<string> => readFile(join(directory.path, name), 'utf8');
  const { current: first, previous: none } = await secrets();
  assert.equal(none, null);
  // As after a kill between the copy of the old secret and the creation of the new one.
  await writeFile(join(directory.path, 'secret.previous'), await stored('secret'));
  assert.deepEqual(await secrets(), { current: first, previous: null });
  await beginRotation(config);
  const begun = await secrets();
  assert.equal(begun.previous, first);
  assert.notEqual(begun.current, first);
  await beginRotation(config);
  assert.deepEqual(await secrets(), begun, 'a running rotation is not begun again');
  await endRotation(config);
  await endRotation(config);
  assert.deepEqual(await secrets(), { current: begun.current, previous: null });
  assert.deepEqual(await readdir(directory.path), ['secret']);
  await directory.remove();
});

test('SLUICE_SECRET_FILE: a secret in another place is never created, is validated, and is rotated in its place', async () => {
  const directory = await temporaryDirectory();
  const place = join(directory.path, 'elsewhere');
  const config = readConfig({ SLUICE_DATA_DIR: directory.path, SLUICE_SECRET_FILE: place }, '.');
  await assert.rejects(openSecrets(config), /SLUICE_SECRET_FILE: .*elsewhere cannot be read \(ENOENT\)/);
  await writeFile(place, 'short\n');
  await assert.rejects(openSecrets(config), /at least 32 characters/);
  await writeFile(place, `${OLD}\n`);
  const secrets = await openSecrets(config);
  assert.deepEqual(await secrets(), { current: OLD, previous: null });
  await beginRotation(config);
  assert.equal((await secrets()).previous, OLD);
  await endRotation(config);
  assert.deepEqual(await readdir(directory.path), ['elsewhere']);
  await directory.remove();
});

test('the secret is not replaced while a transaction seals with it, and no transaction seals while it is replaced', async () => {
  const [sealing, replacing] = [await connection(), await connection()];
  await replacing.query(`set lock_timeout = '200ms'`);
  const { id } = await make();
  const fields = { name: 'x', country_code: null, api_url: null, is_active: true };
  const works: ((tx: pg.Client) => Promise<unknown>)[] = [
    (tx) => insertChannel(tx, createSealer(OLD), fields),
    (tx) => replaceKey(tx, createSealer(OLD), id, 0),
    (tx) => insertSigningSecret(tx, createSealer(OLD), id),
  ];
  for (const work of works) {
    await sealing.query('begin');
    await work(sealing);
    await replacing.query('begin');
    await assert.rejects(lockSealing(replacing), /lock timeout/);
    await replacing.query('rollback');
    await sealing.query('commit');
  }
  await replacing.query('begin');
  await lockSealing(replacing);
  await sealing.query(`set lock_timeout = '200ms'`);
  for (const work of works) {
    await sealing.query('begin');
    await assert.rejects(work(sealing), /lock timeout/);
    await sealing.query('rollback');
  }
  await replacing.query('rollback');
});

test(
  'sluice secret rotate on the embedded database of a running service: the service continues, and the old secret is removed',
  LONG_ONLY,
  async () => {
    const directory = await temporaryDirectory();
    const shop = await startStubChannel();
    const files = {
      SLUICE_DATA_DIR: directory.path,
      SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    };
    const service = await spawnService(files);
    stops.push(async () => {
      shop.close();
      await service.stop();
      await directory.remove();
    });
    assert.equal(await service.ready(), true, service.output());
    const made = async (): Promise<{ id: number; api_key: string }> =>
      (await service.admin('POST', '/channels', { name: 'x', api_url: shop.url })).json.data;
    const first = await made();
    const before = await readFile(join(directory.path, 'secret'), 'utf8');
    const rotated = await sluice(['secret', 'rotate'], { env: { SLUICE_DATA_DIR: directory.path } });
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(rotated.stdout, /1 key or secret is sealed with the current secret, 1 of them now/);
    assert.match(rotated.stdout, /gone from the data directory/);
    assert.notEqual(await readFile(join(directory.path, 'secret'), 'utf8'), before);
    assert.ok(!(await readdir(directory.path)).includes('secret.previous'));
    const second = await made();
    for (const { id, api_key } of [first, second]) {
      const answer = await service.admin('POST', `/channels/${id}/product-info`, { usercode: 'u' });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(shop.keys.at(-1), api_key);
    }
  },
);
