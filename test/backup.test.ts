// sluice backup and sluice restore: a restore is identical to the backup and atomic.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BackupFileError, BackupReader, verifyBackup, withChecksum } from '../src/features/backup/file.ts';
import { NOT_IN_BACKUP, openClient, readBackup } from '../src/features/backup/backup-store.ts';
import { restoreBackup } from '../src/features/backup/restore-store.ts';
import { copyIn } from '../src/platform/database/copy.ts';
import { migrate, readMigrations } from '../src/platform/database/migrations.ts';
import { ROOT, sluice } from './cli-run.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { createDatabase, type TestDatabase } from '../verify/kit/database.ts';
import { bareEnvironment } from '../verify/kit/environment.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { openService, startTestService, TEST_SECRET } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const make = fixtures(service);
const directory = await mkdtemp(join(tmpdir(), 'sluice-backup-'));
const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const BY = { actor: 'cli:test', request_id: null };
const none = (): void => {};
const file = join(directory, 'quiet.backup');
const envOf = (database: TestDatabase) => ({
  DATABASE_URL: database.url,
  DATABASE_MIGRATION_URL: database.ownerUrl,
  SLUICE_SECRET: TEST_SECRET,
});
const run = (database: TestDatabase, args: readonly string[], input?: Uint8Array) =>
  sluice(args, { env: envOf(database), ...(input === undefined ? {} : { input }) });

async function blank(): Promise<TestDatabase> {
  const database = await createDatabase({ template: null });
  databases.push(database);
  return database;
}

const TABLES = `select table_name as name from information_schema.tables
                where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
const tablesOf = async (database: TestDatabase): Promise<string[]> =>
  (await query<{ name: string }>(database.adminUrl, TABLES)).map(({ name }) => name);

/** Transaction ids are valid in one database only. */
const WITHOUT_TRANSACTIONS: Readonly<Record<string, string>> = {
  order_history: '(select order_id, from_status, to_status, source, at from order_history)',
  webhook: `(select to_jsonb(w) - 'position' from webhook w)`,
};

async function checksumsOf(database: TestDatabase): Promise<Record<string, string>> {
  const tables = (await tablesOf(database)).filter((name) => NOT_IN_BACKUP[name] === undefined);
  const sums: Record<string, string> = {};
  for (const name of tables) {
    const where = name === 'audit' ? `where action <> 'database.restore'` : '';
    const source = WITHOUT_TRANSACTIONS[name] ?? `"${name}"`;
    const sql = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum
                 from ${source} t ${where}`;
    sums[name] = (await query<{ sum: string }>(database.adminUrl, sql))[0]?.sum ?? '';
  }
  return sums;
}

let channel: TestChannel;
let sku: string;
let token: string;
let quiet: Buffer;

before(async () => {
  const setting = await make.setting(1_000);
  ({ channel, sku } = setting);
  await make.allocate(channel, setting.variant, 5, 10);
  const send = async (fields: object = {}): Promise<string> => {
    const body = orderOf([{ sku, quantity: 1, unit_price: 10.5 }], fields);
    await must(channel.call('POST', '/orders', body), 201);
    return body.order_number;
  };
  const shipped = await send({
    recipient_name: 'tab\there, line\nthere, \\N and \\.',
    shipping_address: '\\.',
  });
  await must(
    channel.call('POST', `/orders/${shipped}/status`, { status: 3, tracking_number: '송장-1' }),
    200,
  );
  await send({ is_backorder: true });
  await must(service.admin('POST', `/channels/${channel.id}/signing-secrets`), 201);
  const hook = { url: 'http://127.0.0.1:1/', events: ['order.accepted'], is_active: false };
  await must(service.admin('POST', '/webhooks', hook), 201);
  token = (await channel.call('GET', '/inventory?changes_since=')).json?.token ?? '';
  // Recorded now, so that the background job does not write it between the backup and the comparison.
  await service.service.services.keyUses.record();
  const { code, stdout, stderr } = await run(service.database, ['backup', file]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /rows, \d+ MB/);
  assert.match(stderr, /not the secret that opens them/);
  quiet = gunzipSync(await readFile(file));
});

async function collected(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

const contentOf = async (source: TestDatabase): Promise<Buffer> =>
  collected(withChecksum(readBackup(source.ownerUrl, none)));

/** A changed backup with a valid checksum, as a faulty program would write it. */
function rewritten(change: (lines: string[]) => void): Promise<Buffer> {
  const lines = quiet.toString('utf8').trimEnd().split('\n').slice(0, -1);
  change(lines);
  return collected(withChecksum(Readable.from([Buffer.from(`${lines.join('\n')}\n`)])));
}

const restoring = (target: TestDatabase, content: Buffer) =>
  restoreBackup(
    { url: target.ownerUrl, service_role: 'sluice' },
    Readable.from([content], { objectMode: false }),
    BY,
    none,
  );

describe('a backup', () => {
  test('it contains every table of the schema except those that are excluded with a reason', async () => {
    const header = await verifyBackup(Readable.from([quiet], { objectMode: false }));
    const saved = header.tables.map(({ name }) => name);
    const all = await tablesOf(service.database);
    assert.deepEqual([...saved, ...Object.keys(NOT_IN_BACKUP)].toSorted(), all.toSorted());
    assert.deepEqual(
      header.migrations.map(({ checksum }) => checksum),
      (await readMigrations()).map(({ checksum }) => checksum),
    );
    const xids = await query<{ name: string }>(
      service.database.adminUrl,
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and udt_name in ('xid', 'xid8', 'pg_snapshot', 'txid_snapshot')`,
    );
    const carried = xids.map(({ name }) => name).filter((name) => saved.includes(name));
    assert.deepEqual(carried, [], 'transaction ids are not valid in another database');
  });

  test('only its owner can read it, no temporary file remains, and an existing file is not overwritten', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(directory), ['quiet.backup']);
    const { code, stderr } = await run(service.database, ['backup', file]);
    assert.equal(code, 1);
    assert.match(stderr, /already exists and was not changed/);
    const elsewhere = await run(service.database, ['backup', join(directory, 'missing', 'a.backup')]);
    assert.match(elsewhere.stderr, /cannot be written \(ENOENT\)/);
    const asService = await sluice(['backup', join(directory, 'b')], {
      env: { ...envOf(service.database), DATABASE_MIGRATION_URL: '' },
    });
    assert.match(asService.stderr, /set DATABASE_MIGRATION_URL to the role that owns the schema/);
    assert.deepEqual(await readdir(directory), ['quiet.backup']);
  });

  test('a full disk and a reader that closes the pipe: one line each, exit 1, no file', async () => {
    const shell = (script: string, name: string) =>
      sluice(['backup', name], {
        command: ['sh', '-c', script, process.execPath, join(ROOT, 'src', 'start', 'cli.ts')],
        env: envOf(service.database),
      });
    const limited = await shell('ulimit -f 2; exec "$0" "$@"', join(directory, 'full.backup'));
    assert.equal(limited.code, 1);
    assert.equal(limited.stderr, `sluice: ${directory}/full.backup cannot be written (EFBIG).\n`);
    assert.deepEqual(await readdir(directory), ['quiet.backup']);

    const redirected = join(directory, 'redirected.backup');
    const output = await shell(`ulimit -f 2; exec "$0" "$@" > ${redirected}`, '-');
    await rm(redirected);
    assert.equal(output.code, 1);
    assert.equal(output.stderr, 'sluice: standard output cannot be written (EFBIG).\n');

    const piped = await shell('{ "$0" "$@"; echo "exit $?" >&2; } | true', '-');
    assert.equal(piped.stderr, 'sluice: standard output cannot be written (EPIPE).\nexit 1\n');
  });

  test('Ctrl-C and SIGTERM: the temporary file is removed, because it contains personal data', async () => {
    const holder = await connect(service.database.adminUrl);
    try {
      await holder.query('begin; lock table orders');
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const) {
        const child = spawn(
          process.execPath,
          [join(ROOT, 'src', 'start', 'cli.ts'), 'backup', join(directory, 'b')],
          {
            env: { ...bareEnvironment(), ...envOf(service.database) },
            stdio: 'ignore',
          },
        );
        await until(async () => (await readdir(directory)).length === 2, 'the temporary file exists');
        child.kill(signal);
        assert.deepEqual(await once(child, 'exit'), [code, null]);
        assert.deepEqual(await readdir(directory), ['quiet.backup']);
      }
    } finally {
      await holder.end();
    }
  });
});

test('backup and restore have no timeout for statements and pauses, whatever the role has', async () => {
  const limits = '-c statement_timeout=1000 -c idle_in_transaction_session_timeout=1000';
  const client = await openClient(`${service.database.url}&options=${encodeURIComponent(limits)}`);
  try {
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    for (const name of names) assert.deepEqual((await client.query(`show ${name}`)).rows, [{ [name]: '0' }]);
  } finally {
    await client.end();
  }
});

describe('a restore', () => {
  test('rows, sequences, triggers and privileges are restored, and the service starts a new era', async () => {
    const target = await blank();
    const { code, stdout, stderr } = await run(target, ['restore', file]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Restored the backup of .*, 2 orders among them.\nNo drift: \d+ values checked/);
    assert.match(stderr, /The current secret opens the 3 sealed keys and secrets/);
    assert.deepEqual(await checksumsOf(target), await checksumsOf(service.database));
    assert.deepEqual(
      await query(target.adminUrl, 'select distinct xid from order_history'),
      [{ xid: null }],
      'transaction ids are not valid in another database',
    );
    const sequences = `select sequencename, last_value from pg_sequences where schemaname = 'public'
                       and sequencename <> 'audit_id_seq' order by 1`;
    assert.deepEqual(
      await query(target.adminUrl, sequences),
      await query(service.database.adminUrl, sequences),
    );
    const triggers = `select tgname, tgenabled from pg_trigger where not tgisinternal order by tgrelid::regclass::text, tgname`;
    assert.deepEqual(
      await query(target.adminUrl, triggers),
      await query(service.database.adminUrl, triggers),
    );

    const restored = await openService({ database: target });
    try {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      await must(restored.channel(channel.api_key)('POST', '/orders', order), 201);
      const since = await restored.channel(channel.api_key)('GET', `/inventory?changes_since=${token}`);
      assert.notEqual(since.status, 200, 'a token of the original database is refused');
    } finally {
      await restored.close();
    }
    await assert.rejects(restoring(target, quiet), /not empty: \w+ has rows/);
    const again = await run(target, ['restore', file]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /not empty/);
  });

  test('a backup taken under load is one consistent snapshot, also when it is restored from standard input', async () => {
    let sent = 0;
    let stop = false;
    after(() => void (stop = true));
    const load = (async () => {
      try {
        while (!stop) {
          await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
          sent += 1;
        }
      } finally {
        stop = true;
      }
    })();
    const parts: Buffer[] = [];
    for await (const chunk of withChecksum(readBackup(service.database.ownerUrl, none))) {
      parts.push(chunk);
      const earlier = sent;
      while (sent === earlier && !stop) await new Promise((resolve) => void setTimeout(resolve, 1));
    }
    stop = true;
    await load;
    const target = await blank();
    const { code, stdout, stderr } = await run(target, ['restore', '-'], gzipSync(Buffer.concat(parts)));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /No drift/);
    const { n } = (
      await query<{ n: number }>(target.adminUrl, 'select count(*)::int as n from orders')
    )[0] ?? {
      n: 0,
    };
    assert.ok(sent > 10 && n < sent, `${sent} orders sent during the backup, ${n} in it`);
  });

  test('a migrated database without data can be restored into', async () => {
    const target = await createDatabase();
    databases.push(target);
    await query(target.ownerUrl, 'insert into journal_era default values');
    await restoring(target, quiet);
    assert.equal((await query(target.adminUrl, 'select from journal_era')).length, 0);
    const [trim] = await query<{ xid: string }>(target.adminUrl, 'select xid::text from journal_trim');
    assert.ok(Number(trim?.xid) > 0);
  });

  test('a backup of an earlier version is migrated, one of a newer version is refused', async () => {
    const known = await readMigrations();
    const older = await mkdtemp(join(directory, 'migrations-'));
    for (const { name } of known.slice(0, 6)) {
      await copyFile(join(ROOT, 'migrations', name), join(older, name));
    }
    const source = await blank();
    await migrate(source.ownerUrl, null, pathToFileURL(`${older}/`));
    await query(source.ownerUrl, `insert into common_code values ('COURIER', 'CJ', 'kept')`);
    const content = await contentOf(source);
    const target = await blank();
    const { migrated } = await restoring(target, content);
    assert.deepEqual(
      migrated,
      known.slice(6).map(({ name }) => name),
    );
    assert.deepEqual(await query(target.url, 'select name from common_code'), [{ name: 'kept' }]);

    const [head = '', ...rest] = quiet.toString('utf8').split('\n');
    const header = JSON.parse(head) as { migrations: object[] };
    header.migrations.push({ version: 9_999, name: '9999_future.sql', checksum: '' });
    const newer = Buffer.from([JSON.stringify(header), ...rest].join('\n'));
    await assert.rejects(restoring(await blank(), newer), /newer than this version of Sluice: .*9999_future/);

    const migratedEmpty = await createDatabase();
    databases.push(migratedEmpty);
    await assert.rejects(restoring(migratedEmpty, content), /has a newer schema than the backup/);
  });

  test('a backup with different migrations or missing rows is refused, and the database stays empty', async () => {
    const target = await blank();
    const others = await rewritten((lines) => {
      const header = JSON.parse(lines[0] ?? '') as { migrations: { checksum: string }[] };
      for (const one of header.migrations.slice(1, 2)) one.checksum = 'another';
      lines[0] = JSON.stringify(header);
    });
    await assert.rejects(restoring(target, others), /migration 0002\S+ of the backup is not the one of this/);
    const fewer = await rewritten((lines) => lines.splice(lines.indexOf('{"table":"orders"}') + 1, 1));
    await assert.rejects(restoring(target, fewer), /the table orders is not complete/);
    assert.deepEqual(await tablesOf(target), []);
  });
});

const asFormat2 = (lines: string[]): void => {
  lines[0] = (lines[0] ?? '').replace('"format_version":1', '"format_version":2');
};

describe('a damaged file', () => {
  const isRefused = (content: Buffer): Promise<void> =>
    assert.rejects(verifyBackup(Readable.from([content], { objectMode: false })), BackupFileError);

  test('a file that is truncated anywhere or has any byte changed is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(quiet.length - 2), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        await isRefused(quiet.subarray(0, at));
        const changed = Buffer.from(quiet);
        changed[at] = (changed[at] ?? 0) ^ change;
        await isRefused(changed);
      }),
      { numRuns: 60 },
    );
    await isRefused(Buffer.concat([quiet, Buffer.from('more')]));
  });

  test('chunk boundaries of the input do not change the rows', async () => {
    const read = async (chunks: Buffer[]): Promise<string> => {
      const reader = new BackupReader(Readable.from(chunks));
      const parts: Buffer[] = [];
      for (const { name } of (await reader.header()).tables) {
        await reader.table(name);
        parts.push(await collected(reader.rows()), Buffer.from('|'));
      }
      await reader.end();
      return Buffer.concat(parts).toString('utf8');
    };
    const whole = await read([quiet]);
    const step = fc.integer({ min: 1, max: 4_096 });
    await fc.assert(
      fc.asyncProperty(step, async (bytes) => {
        const chunks: Buffer[] = [];
        for (let at = 0; at < quiet.length; at += bytes) chunks.push(quiet.subarray(at, at + bytes));
        assert.equal(await read(chunks), whole);
      }),
      { numRuns: 20 },
    );
  });

  test('SQL in a name and every other part of a wrong form: one line, nothing executed, the database stays empty', async () => {
    const target = await blank();
    const path = join(directory, 'forged.backup');
    const change = (at: number, edit: (part: any) => void) => (lines: string[]) => {
      const part = JSON.parse(lines.at(at) ?? '');
      edit(part);
      lines[at < 0 ? lines.length + at : at] = JSON.stringify(part);
    };
    const SQL = 'id") from stdin; drop table orders; --';
    const header = (edit: (part: any) => void) => change(0, edit);
    const end = (edit: (part: any) => void) => change(-1, (part) => edit(part.end));
    const edits = [
      header((part) => (part.tables[0].columns[0] = SQL)),
      header((part) => (part.tables[0].columns[0] = 'no_such_column')),
      header((part) => part.tables[0].columns.push(part.tables[0].columns[0])),
      header((part) => (part.tables[0].columns[0] = 7)),
      header((part) => (part.tables[0].columns = 'id')),
      header((part) => (part.tables[0].name = SQL)),
      header((part) => part.tables.push({ name: 'no_such_table', columns: ['id'] })),
      header((part) => (part.tables = [null])),
      header((part) => (part.migrations = [null])),
      header((part) => (part.migrations[0].name = '\x1b[2J')),
      header((part) => (part.made_at = '\x1b[2J2026-11-16')),
      header((part) => (part.format_version = '\x1b[2J')),
      (lines: string[]) => void (lines[0] = 'null'),
      (lines: string[]) => void (lines[0] = '[]'),
      end((part) => (part.sequences = [null])),
      end((part) => (part.sequences[0].name = SQL)),
      end((part) => (part.sequences[0].name = 'no_such_sequence')),
      end((part) => (part.sequences[0].last_value = '1; drop table orders')),
      end((part) => (part.rows = [])),
      end((part) => (part.rows.orders = '1')),
    ];
    for (const [index, edit] of edits.entries()) {
      const content = await rewritten(edit);
      await assert.rejects(restoring(target, content), (error) => {
        assert.ok(error instanceof BackupFileError, `${index}: ${String(error)}`);
        assert.doesNotMatch(error.message, /\p{Cc}/u);
        return true;
      });
      if (index > 1) continue;
      await writeFile(path, gzipSync(content));
      const { code, stderr } = await run(target, ['restore', path]);
      assert.equal(code, 1);
      assert.match(stderr.trim(), /^[^\n]*forged\.backup was refused: [^\n]*\. Nothing was restored\.$/);
    }
    assert.deepEqual(await tablesOf(target), []);
  });

  test('the command refuses it before it opens or creates a database; a restore that fails midway leaves the database empty', async () => {
    const packed = await readFile(file);
    const path = join(directory, 'damaged.backup');
    const target = await blank();
    for (const [content, said] of [
      [packed.subarray(0, packed.length - 20), /was refused: .*incomplete/],
      [Buffer.from('no backup'), /was refused: /],
      [gzipSync('{"format":"other"}\n'), /no backup of Sluice/],
      [gzipSync(await rewritten(asFormat2)), /its format is 2, and this version of Sluice reads 1/],
    ] as const) {
      await writeFile(path, content);
      const { code, stderr } = await run(target, ['restore', path]);
      assert.equal(code, 1);
      assert.match(stderr, said);
    }
    const fresh = join(directory, 'data');
    const { stderr } = await sluice(['restore', path], { env: { SLUICE_DATA_DIR: fresh } });
    assert.match(stderr, /was refused/);
    await assert.rejects(stat(fresh), { code: 'ENOENT' });
    assert.match(
      (await run(target, ['restore', join(directory, 'none')])).stderr,
      /cannot be read \(ENOENT\)/,
    );

    await assert.rejects(restoring(target, quiet.subarray(0, quiet.length - 50)), BackupFileError);
    const wrong = Buffer.from(quiet);
    wrong.write('2', wrong.indexOf('송장-1') + Buffer.byteLength('송장-'));
    await assert.rejects(restoring(target, wrong), /checksum is wrong/);
    wrong.write('x', wrong.indexOf('{"table":"orders"}') + 19);
    const piped = await run(target, ['restore', '-'], gzipSync(wrong));
    assert.match(piped.stderr, /the backup was refused: it is damaged/);
    assert.deepEqual(await tablesOf(target), []);
  });
});

describe('backpressure: a slow receiver stops the sender instead of filling memory', () => {
  const ROWS_BYTES = 48_000_000;
  const HELD_BYTES_MAX = 16_000_000;

  /** The value once two consecutive readings are equal. */
  async function settled(read: () => Promise<number>): Promise<number> {
    for (let last = -1; ;) {
      const now = await read();
      if (now === last && now > 0) return now;
      last = now;
      await new Promise((resolve) => void setTimeout(resolve, 300));
    }
  }

  test('backup: PostgreSQL waits when the file is written slowly', async () => {
    const source = await createDatabase();
    databases.push(source);
    await query(
      source.ownerUrl,
      `insert into product (code, name) select n, repeat(md5(n::text), 1500) from generate_series(1, 1000) n`,
    );
    const copied = `select coalesce(max(bytes_processed), ${ROWS_BYTES})::int as bytes from pg_stat_progress_copy
                    where datname = current_database()`;
    let bytes = 0;
    for await (const chunk of readBackup(source.ownerUrl, none)) {
      if (bytes < 1_000_000 && bytes + chunk.length >= 1_000_000) {
        const sent = await settled(
          async () => (await query<{ bytes: number }>(source.adminUrl, copied))[0]?.bytes ?? 0,
        );
        assert.ok(sent < HELD_BYTES_MAX, `${sent} bytes were sent before the reader took them`);
      }
      bytes += chunk.length;
    }
    assert.ok(bytes > ROWS_BYTES);
  });

  test('restore: reading of the file stops while PostgreSQL does not accept data', async () => {
    const target = await createDatabase();
    databases.push(target);
    const [holder, loader] = [await connect(target.ownerUrl), await connect(target.ownerUrl)];
    try {
      await holder.query(`begin; insert into common_code values ('G', '0', 'in the way')`);
      let produced = 0;
      const source = async function* (): AsyncGenerator<Buffer> {
        for (let n = 0; produced < ROWS_BYTES; n++) {
          const row = Buffer.from(`G\t${n}\t${'x'.repeat(60_000)}\n`);
          produced += row.length;
          yield row;
        }
      };
      const loading = copyIn(loader, 'copy common_code (code_group, code, name) from stdin', source());
      const held = await settled(async () => produced);
      assert.ok(held < HELD_BYTES_MAX, `${held} bytes were read while PostgreSQL waited`);
      await holder.query('rollback');
      assert.equal(await loading, Math.ceil(ROWS_BYTES / 60_006));
    } finally {
      await Promise.all([holder.end(), loader.end()]);
    }
  });
});
