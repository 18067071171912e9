import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, unknownVariables } from '../src/platform/config/config.ts';
import { helpOf } from '../src/platform/cli/help.ts';
import { serveCommand } from '../src/start/serve-command.ts';
import { parseProxies } from '../src/platform/values/client-address.ts';

test('an empty environment gives the documented defaults', () => {
  assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '' }, '/project', { cores: 2 }), {
    host: '127.0.0.1',
    port: 8080,
    workers: 1,
    workers_auto: true,
    internal_port: null,
    database_url: null,
    database_migration_url: null,
    data_dir: '/project/.data',
    admin_token: null,
    first_password: null,
    secret: null,
    secret_file: null,
    previous_secret: null,
    timezone: 'Asia/Seoul',
    allow_private_channel_urls: false,
    public_url: null,
    trusted_proxies: parseProxies('127.0.0.0/8, ::1'),
    console_dir: '/project/console/dist',
    log_level: 'info',
    log_time: 'iso',
    slow_request_ms: 1_000,
    jobs: true,
    mail: null,
    timeouts: {
      headers_ms: 15_000,
      body_ms: 30_000,
      idle_connection_ms: 72_000,
      send_ms: 30_000,
      connect_ms: 5_000,
      statement_ms: 8_000,
      long_statement_ms: 30_000,
      lock_ms: 5_000,
      retry_ms: 8_000,
      idle_transaction_ms: 10_000,
    },
    drain_ms: null,
    oidc: null,
    tracing: null,
    password_cost_log2: 16,
    limits: {
      connections: 8_192,
      connections_per_address: 2_048,
      large_bodies_mib: 64,
      unsent_lists_mib: 256,
      wrong_credentials_per_minute: 100,
    },
  });
});

test('a wrong environment gives one message that names every fault and shows no secret', () => {
  const env = {
    PORT: '99999',
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    SLUICE_ADMIN_TOKEN: 'short',
    SLUICE_FIRST_PASSWORD: 'password1234',
    SLUICE_TIMEZONE: 'Mars/Olympus',
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: 'yes',
    SLUICE_JOBS: 'yes',
    SLUICE_SMTP_URL: 'mail.example.com',
    SLUICE_MAIL_FROM: 'sluice',
    SLUICE_MAIL_TO: 'ops@example.com, nobody',
    SLUICE_PUBLIC_URL: 'sluice.example.com',
    SLUICE_INTERNAL_PORT: '-1',
    SLUICE_WORKERS: 'many',
    SLUICE_TRUSTED_PROXIES: 'proxy.example.com',
    SLUICE_CONNECTIONS_PER_ADDRESS_MAX: '0',
    LOG_LEVEL: 'loud',
    SLUICE_LOG_TIME: 'utc',
    SLUICE_SLOW_REQUEST_MS: '1s',
  };
  assert.throws(
    () => readConfig(env, '/project'),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      for (const name of [...Object.keys(env), 'SLUICE_SECRET'])
        assert.ok(error.message.includes(name), name);
      assert.equal(error.faults.length, 19);
      assert.ok(!error.message.includes('hunter2') && !error.message.includes('short"'));
      return true;
    },
  );
});

test('a password in DATABASE_URL that is not percent-encoded: the fault says so and shows nothing of the address', () => {
  const secret = { SLUICE_SECRET: 'x'.repeat(32) };
  for (const name of ['DATABASE_URL', 'DATABASE_MIGRATION_URL'])
    for (const password of ['5432/word', 'pa/ss', '12#34', 'pa#ss', '1?x', '50%', '1/2#3@4', '/'])
      assert.throws(
        () =>
          readConfig(
            {
              ...secret,
              DATABASE_URL: 'postgres://h/d',
              [name]: `postgres://ss:${password}@db.example:5432/sluice`,
            },
            '/project',
          ),
        {
          message: `The configuration is wrong: ${name} must be percent-encoded: in a user name or password write / as %2F, # as %23, ? as %3F and % as %25.`,
        },
        password,
      );
  for (const url of [
    'postgres://db.example/sluice',
    'postgres://u:p%2Fa%23s%3Fs@%25@[::1]:5432/sluice?options=-c%20work_mem%3D8MB&sslmode=require',
    'postgresql://u@db.example/sluice?user=me%40example.com',
    'postgres://u:p@db.example/sluice?application_name=a@b',
  ])
    assert.equal(readConfig({ ...secret, DATABASE_URL: url }, '/project').database_url, url);
});

test('a variable of Sluice that nothing reads is named with the nearest one, without its value', () => {
  const env = {
    SLUICE_TRUSTED_PROXY: '10.0.0.1',
    SLUICE_WORKER: 'geheim',
    SLUICE_NONSENSE_OF_ANOTHER_KIND: '1',
    SLUICE_WORKERS: '2',
    SLUICE_SMTP_URL_FILE: '/x',
    SLUICE_SERVICE_UNIT: '/x',
    PORTS: '1',
  };
  assert.deepEqual(unknownVariables(env), [
    'SLUICE_TRUSTED_PROXY is not a variable of Sluice and is ignored; did you mean SLUICE_TRUSTED_PROXIES?',
    'SLUICE_WORKER is not a variable of Sluice and is ignored; did you mean SLUICE_WORKERS?',
    'SLUICE_NONSENSE_OF_ANOTHER_KIND is not a variable of Sluice and is ignored',
  ]);
});

test('an external database needs an explicit secret', () => {
  const env = { DATABASE_URL: 'postgres://localhost/sluice' };
  assert.throws(() => readConfig(env, '/project'), /SLUICE_SECRET must be set/);
  assert.throws(() => readConfig({ ...env, SLUICE_SECRET: 'too short' }, '/project'), /at least 32/);
  assert.equal(readConfig({ ...env, SLUICE_SECRET: 'x'.repeat(32) }, '/project').secret, 'x'.repeat(32));
  const inFile = { ...env, SLUICE_SECRET_FILE: 'keys/sluice' };
  assert.equal(readConfig(inFile, '/project').secret_file, '/project/keys/sluice');
  const both = { ...inFile, SLUICE_SECRET: 'x'.repeat(32) };
  assert.throws(() => readConfig(both, '/project'), /SLUICE_SECRET_FILE must not both be set/);
});

test('a timeout is a whole number of milliseconds within its limits, and that of the headers is at most that of the body', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/project').timeouts;
  assert.equal(read({ SLUICE_LOCK_TIMEOUT_MS: '1500' }).lock_ms, 1_500);
  for (const wrong of ['0', '99', '-1', '5s', '1.5', '3600001'])
    assert.throws(() => read({ SLUICE_LOCK_TIMEOUT_MS: wrong }), /SLUICE_LOCK_TIMEOUT_MS must be/, wrong);
  const late = { SLUICE_HEADERS_TIMEOUT_MS: '2000', SLUICE_BODY_TIMEOUT_MS: '1000' };
  assert.throws(() => read(late), /SLUICE_HEADERS_TIMEOUT_MS must be at most SLUICE_BODY_TIMEOUT_MS/);
});

test('a limit is a whole number within its range', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/project').limits;
  assert.equal(read({ SLUICE_LARGE_BODIES_MIB: '128' }).large_bodies_mib, 128);
  for (const wrong of ['0', '15', '-1', '64M', '16.5', '65537'])
    assert.throws(() => read({ SLUICE_LARGE_BODIES_MIB: wrong }), /SLUICE_LARGE_BODIES_MIB must be/, wrong);
});

test('one address may have a quarter of the connections by default', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/project').limits.connections_per_address;
  assert.equal(read({ SLUICE_CONNECTIONS_MAX: '100' }), 25);
  assert.equal(read({ SLUICE_CONNECTIONS_MAX: '100', SLUICE_CONNECTIONS_PER_ADDRESS_MAX: '60' }), 60);
});

test('workers: by default one on up to two cores, otherwise half of the cores and at most 2', () => {
  const read = (given: string, cores: number) =>
    readConfig({ SLUICE_WORKERS: given }, '/project', { cores }).workers;
  assert.deepEqual(
    [1, 2, 3, 4, 7, 8, 16, 64].map((cores) => read('', cores)),
    [1, 1, 1, 2, 2, 2, 2, 2],
  );
  assert.equal(read('auto', 4), 2);
  assert.equal(read('3', 1), 3);
  for (const wrong of ['0', '-1', '1.5', 'two', '65', '1e1', '+2', 'AUTO'])
    assert.throws(
      () => read(wrong, 4),
      /SLUICE_WORKERS must be "auto" or a whole number from 1 to 64/,
      wrong,
    );
});

test('the internal port must differ from the main port', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/project').internal_port;
  assert.equal(read({ SLUICE_INTERNAL_PORT: '9090' }), 9_090);
  assert.throws(() => read({ SLUICE_INTERNAL_PORT: '8080' }), /SLUICE_INTERNAL_PORT must differ from PORT/);
});

test("the previous secret must differ from the current one, and may be shorter than today's minimum", () => {
  const env = { SLUICE_SECRET: 'x'.repeat(32), SLUICE_SECRET_PREVIOUS: 'x'.repeat(32) };
  assert.throws(() => readConfig(env, '/project'), /SLUICE_SECRET_PREVIOUS must differ/);
  const config = readConfig({ ...env, SLUICE_SECRET_PREVIOUS: 'older' }, '/project');
  assert.equal(config.previous_secret, 'older');
});

test('the public address is an origin without path, query or credentials', () => {
  const read = (SLUICE_PUBLIC_URL: string) => readConfig({ SLUICE_PUBLIC_URL }, '/project').public_url;
  assert.equal(read('https://Sluice.example.com:443/'), 'https://sluice.example.com');
  assert.equal(read('http://10.0.0.7:8080'), 'http://10.0.0.7:8080');
  for (const wrong of ['https://x/console', 'https://x/?a', 'https://u:p@x', 'ftp://x', 'x', 'https://'])
    assert.throws(() => read(wrong), /SLUICE_PUBLIC_URL must be/, wrong);
});

test('an admin token consists of characters that a header can contain', () => {
  const read = (SLUICE_ADMIN_TOKEN: string) => readConfig({ SLUICE_ADMIN_TOKEN }, '/project').admin_token;
  assert.equal(read('sluice_admin_~!#:/=+'), 'sluice_admin_~!#:/=+');
  for (const wrong of ['sixteen or more characters', 'sluice\tadmin\ttoken', 'sluice_관리자_token_0001'])
    assert.throws(() => read(wrong), /SLUICE_ADMIN_TOKEN must consist of/, wrong);
});

test('secrets from files: a final line break is removed; both variables at once, a missing file and an empty file are refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const token = 'sluice_admin_from_a_file';
  const env = { SLUICE_ADMIN_TOKEN_FILE: write('token', `${token}\n`) };
  assert.equal(readConfig(env, '/project').admin_token, token);
  assert.equal(readConfig({ SLUICE_ADMIN_TOKEN_FILE: 'token' }, directory).admin_token, token);
  const secret = { SLUICE_SECRET_FILE: write('secret', 'too short\n') };
  assert.equal(readConfig(secret, '/project').secret_file, join(directory, 'secret'));
  assert.throws(
    () => readConfig({ ...secret, PORT: 'x' }, '/project', { needsSecretFile: true }),
    ({ message }: Error) => /PORT must be/.test(message) && /secret must hold at least 32/.test(message),
  );
  const missing = { SLUICE_SECRET_FILE: join(directory, 'nowhere') };
  assert.throws(
    () => readConfig(missing, '/project', { needsSecretFile: true }),
    /SLUICE_SECRET_FILE: .*nowhere cannot be read \(ENOENT\)/,
  );
  const wrong = {
    ...env,
    SLUICE_ADMIN_TOKEN: token,
    DATABASE_URL_FILE: join(directory, 'nowhere'),
    SLUICE_SMTP_URL_FILE: write('empty', '\n'),
  };
  assert.throws(
    () => readConfig(wrong, '/project'),
    ({ message }: Error) =>
      /SLUICE_ADMIN_TOKEN and SLUICE_ADMIN_TOKEN_FILE must not both be set/.test(message) &&
      /DATABASE_URL_FILE: .*nowhere cannot be read \(ENOENT\)/.test(message) &&
      /SLUICE_SMTP_URL_FILE: .*empty is empty/.test(message) &&
      !message.includes(token),
  );
  rmSync(directory, { recursive: true });
});

test('traces: the standard variables of OpenTelemetry; a wrong one is refused by name, and no credential is shown', () => {
  const read = (env: Record<string, string>) =>
    readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...env }, '/project').tracing;
  assert.equal(readConfig({ OTEL_SERVICE_NAME: 'shop' }, '/project').tracing, null);
  assert.deepEqual(read({}), {
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    timeout_ms: 10_000,
    resource: { 'service.name': 'sluice' },
    sampling: { by_parent: true, ratio: 1 },
  });
  const all = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/otlp/?tenant=1',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%3Db, x-tenant = shop',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,deployment.environment.name=test',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  assert.deepEqual(all, {
    url: 'https://collector.example.com/otlp/v1/traces?tenant=1',
    headers: { 'api-key': 'a=b', 'x-tenant': 'shop' },
    timeout_ms: 500,
    resource: { 'service.name': 'shop', 'deployment.environment.name': 'test' },
    sampling: { by_parent: false, ratio: 0.25 },
  });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/spans' };
  assert.equal(read(own)?.url, 'http://127.0.0.1:9/spans');
  assert.deepEqual(read({ OTEL_TRACES_SAMPLER_ARG: '0.1' })?.sampling, { by_parent: true, ratio: 0.1 });
  const off = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
  assert.deepEqual(read(off)?.sampling, { by_parent: true, ratio: 0 });
  assert.equal(read({ OTEL_SDK_DISABLED: 'true' }), null);
  assert.equal(read({ OTEL_TRACES_EXPORTER: 'none' }), null);
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@127.0.0.1:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://127.0.0.1:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=a%0Ab'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=b,=c'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ] as const)
    assert.throws(
      () => read({ [name]: value }),
      ({ message }: Error) => message.includes(`${name} must be`) && !message.includes('hunter2'),
      `${name}=${value}`,
    );
});

test('docs/operations.md and "sluice serve --help" name every variable that is read, and no other one', () => {
  const text = globSync('src/platform/config/*.ts')
    .filter((file) => !file.endsWith('names.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const read = new Set(
    [...text.matchAll(/'(PORT|HOST|LOG_LEVEL|(?:SLUICE|DATABASE|OTEL)_[A-Z_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  const inFiles = new Set<string>();
  readConfig(
    new Proxy(
      {},
      { get: (_env, name) => void (String(name).endsWith('_FILE') && inFiles.add(String(name))) },
    ),
    '/project',
  );
  assert.ok(read.size > 50 && inFiles.size > 5);
  const named = (page: string): Set<string> =>
    new Set(page.match(/\b(?:PORT|HOST|LOG_LEVEL|(?:SLUICE|DATABASE|OTEL)_[A-Z_]*[A-Z])\b/g));
  assert.deepEqual([...named(helpOf(serveCommand))].toSorted(), [...read, 'DATABASE_URL_FILE'].toSorted());
  const documented = named(readFileSync('docs/operations.md', 'utf8'));
  const ofCommands = 'SLUICE_SERVICE_UNIT';
  assert.deepEqual([...documented].toSorted(), [...new Set([...read, ...inFiles, ofCommands])].toSorted());
});
