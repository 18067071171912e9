// TLS to PostgreSQL, on a real server with generated certificates: checks what docs/operations.md says about sslmode.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ensureSupportedServer } from '../src/platform/database/server-version.ts';
import { connected, query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { call, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'needs openssl for the certificates';
const directory = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
const file = (name: string): string => join(directory, name);
const database = await createDatabase();

after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await database.drop();
});

/** Creates a certificate authority, `NAME.pem`. */
function makeIssuer(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-days', '2'];
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], {
    stdio: 'ignore',
  });
}

/** Valid for the name `localhost` only, not for its address. */
function makeServerCertificate(issuer: string): void {
  const request = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', file('server.key'), '-out', file('server.pem')];
  const signed = ['-CA', file(`${issuer}.pem`), '-CAkey', file(`${issuer}.key`), '-days', '2'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...request, ...signed, ...files];
  execFileSync('openssl', args, { stdio: 'ignore' });
}

const onServer = (...statements: { text: string; values?: unknown[] }[]): Promise<void> =>
  connected(database.adminUrl, async (admin) => {
    for (const statement of statements) await admin.query(statement);
  });

/** The server writes the file itself, because it accepts only a key that its own user owns. */
const upload = (name: string): { text: string } => {
  const lines = readFileSync(file(name), 'utf8').trim().split('\n');
  const program = `umask 077; cat > sluice-test-${name}`;
  return {
    text: `copy (select unnest('{${lines.map((line) => `"${line}"`).join(',')}}'::text[])) to program '${program}'`,
  };
};

const setTls = (on: boolean): { text: string }[] => [
  {
    text: on
      ? `alter system set ssl_cert_file = 'sluice-test-server.pem'`
      : 'alter system reset ssl_cert_file',
  },
  {
    text: on ? `alter system set ssl_key_file = 'sluice-test-server.key'` : 'alter system reset ssl_key_file',
  },
  { text: on ? 'alter system set ssl = on' : 'alter system reset ssl' },
  { text: 'select pg_reload_conf()' },
];

function urlWith(host: string, parameters: Record<string, string>): string {
  const url = new URL(database.url);
  url.hostname = host;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

async function isEncrypted(url: string): Promise<boolean> {
  const [found] = await query(url, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  return found?.['ssl'] === true;
}

const MODES = ['prefer', 'require', 'verify-ca', 'verify-full'];

before(async () => {
  if (skip !== false) return;
  makeIssuer('issuer');
  makeIssuer('stranger');
  makeServerCertificate('issuer');
});

test(
  'a server without TLS is refused in every sslmode that asks for TLS: no connection falls back to plain text',
  { skip },
  async () => {
    for (const sslmode of [...MODES, 'no-verify']) {
      const url = urlWith('localhost', { sslmode, sslrootcert: file('issuer.pem') });
      await assert.rejects(isEncrypted(url), /does not support SSL/, sslmode);
    }
  },
);

test('with TLS: host name and issuer are verified, in every mode but no-verify', { skip }, async (t) => {
  await onServer(upload('server.pem'), upload('server.key'), ...setTls(true));
  t.after(() => onServer(...setTls(false)));
  const known = { sslrootcert: file('issuer.pem') };
  // The server reloads its settings asynchronously.
  await until(
    () => isEncrypted(urlWith('localhost', { ...known, sslmode: 'verify-full' })).catch(() => false),
    'the server has enabled TLS',
  );
  for (const sslmode of MODES) {
    assert.equal(await isEncrypted(urlWith('localhost', { ...known, sslmode })), true, sslmode);
    const wrongName = isEncrypted(urlWith('127.0.0.1', { ...known, sslmode }));
    await assert.rejects(wrongName, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, sslmode);
    const stranger = { sslmode, sslrootcert: file('stranger.pem') };
    await assert.rejects(isEncrypted(urlWith('localhost', stranger)), /certificate/, sslmode);
    await assert.rejects(isEncrypted(urlWith('localhost', { sslmode })), /certificate/, sslmode);
  }
  assert.equal(await isEncrypted(urlWith('127.0.0.1', { sslmode: 'no-verify' })), true);
  assert.equal(await isEncrypted(urlWith('localhost', { sslmode: 'disable' })), false);

  const refused = urlWith('127.0.0.1', { ...known, sslmode: 'verify-full' });
  await assert.rejects(ensureSupportedServer(refused), (error: Error) => {
    assert.match(error.message, /cannot be reached: Hostname\/IP does not match certificate/);
    assert.ok(!error.message.includes(new URL(database.url).password));
    return true;
  });
  const absent = urlWith('localhost', { sslmode: 'verify-full', sslrootcert: file('absent.pem') });
  await assert.rejects(ensureSupportedServer(absent), /^UnsupportedServer: The database .*absent\.pem/);

  await t.test('every connection of the service is encrypted', async () => {
    const service = await startTestService({
      database,
      url: urlWith('localhost', { ...known, sslmode: 'verify-full' }),
    });
    assert.equal((await call(`${service.origin}/readyz`, 'GET')).status, 200);
    const { rows } = await database.tamper(
      `select application_name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
       where datname = current_database() and usename = 'sluice'`,
    );
    assert.ok(rows.length >= 2, JSON.stringify(rows));
    for (const { application_name, ssl } of rows) assert.equal(ssl, true, application_name);
  });
});
