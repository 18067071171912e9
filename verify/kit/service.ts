// The service itself, in this process, over a database of its own and real HTTP. After each test that uses
// it the counters are reconciled against orders and ledger.
import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { readConfig, type Config } from '../../src/config.ts';
import { createLogger } from '../../src/log.ts';
import { createService, type Service } from '../../src/service.ts';
import { reconcile } from '../../src/store/reconcile.ts';
import { ADMIN_TOKEN, TEST_SECRET } from './canaries.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { keep, keptLog } from './written.ts';

export { ADMIN_TOKEN, TEST_SECRET };

export interface HttpAnswer {
  status: number;
  // Tests look into bodies freely; a wrong guess fails the assertion that follows.
  json: any;
  text: string;
  headers: Headers;
}

/** One request. A string or bytes go out as they are, anything else as JSON. */
export async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  if (response.status >= 400) keep('answers', `${response.status} ${text}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, json, text, headers: response.headers };
}

/** For tests with a lot under way, on a machine that is busy besides: it waits for everything longer than they take. */
export const PATIENT = {
  SLUICE_HEADERS_TIMEOUT_MS: '300000',
  SLUICE_BODY_TIMEOUT_MS: '300000',
  SLUICE_CONNECT_TIMEOUT_MS: '60000',
  SLUICE_STATEMENT_TIMEOUT_MS: '60000',
  SLUICE_LONG_STATEMENT_TIMEOUT_MS: '300000',
  SLUICE_LOCK_TIMEOUT_MS: '60000',
  SLUICE_RETRY_TIMEOUT_MS: '60000',
};

export type ChannelCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<HttpAnswer>;

export interface TestService {
  origin: string;
  database: TestDatabase;
  service: Service;
  /** What it has logged so far, from level info on. */
  log: LogLine[];
  /** /admin/v1 as administrator, or with another token. */
  admin(method: string, path: string, body?: unknown, token?: string): Promise<HttpAnswer>;
  /** /api/v1 with a key; undefined sends none. */
  channel(apiKey: string | undefined): ChannelCall;
}

/** A password is hashed in a millisecond instead of 0.2 s. What `npm start` and the commands start uses the real cost. */
export const CHEAP_COST_LOG2 = 10;

interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

function recording(log: LogLine[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)) as LogLine);
      done();
    },
  });
}

export interface TestServiceOptions {
  env?: Record<string, string>;
  /** What no variable sets, such as the directory of the console's files. */
  config?: Partial<Config>;
  /** Another process over the same database: share it instead of making one. */
  database?: TestDatabase;
  /** Another way to the same database, such as a proxy. */
  url?: string;
}

/** Starts it now, stops it after the file's tests, reconciles after each. Call at the top of a test file. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const opened = await openService(options);
  afterEach(async () => {
    const report = await reconcile(opened.service.services.pool);
    assert.equal(report.ok, true, `counters drifted: ${JSON.stringify(report.drift, null, 1)}`);
  });
  after(() => opened.close());
  return opened;
}

/** For callers outside of tests, which must close it. */
export async function openService(
  options: TestServiceOptions = {},
): Promise<TestService & { close(): Promise<void> }> {
  const database = options.database ?? (await createDatabase());
  const env = {
    PORT: '0',
    SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    LOG_LEVEL: 'trace',
    // Most tests need none, or run one now.
    SLUICE_JOBS: '0',
    ...options.env,
  };
  const shown = { stream: process.stdout, level: process.env['LOG_LEVEL'] ?? 'silent' };
  const log: LogLine[] = [];
  const streams = [shown, { stream: keptLog(), level: 'trace' }, { stream: recording(log), level: 'info' }];
  const logger = createLogger('trace', pino.multistream(streams));
  const service = await createService(
    { ...readConfig(env, '.'), password_cost_log2: CHEAP_COST_LOG2, ...options.config },
    { url: options.url ?? database.url, secret: TEST_SECRET },
    logger,
  );
  const origin = await service.listen();
  return {
    origin,
    database,
    service,
    log,
    async close() {
      keep('metrics', await service.services.metrics.registry.metrics());
      await service.stop();
      if (!options.database) await database.drop();
    },
    admin: (method, path, body, token = ADMIN_TOKEN) =>
      call(`${origin}/admin/v1${path}`, method, body, { authorization: `Bearer ${token}` }),
    channel:
      (apiKey) =>
      async (method, path, body, headers = {}) => {
        const answer = await call(`${origin}/api/v1${path}`, method, body, {
          ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
          ...headers,
        });
        // Contract 10.2, in every test: each refusal names its reason, and nothing else does.
        const reason = answer.headers.get('sluice-error');
        assert.equal(reason !== null, answer.status >= 400, `${answer.status}: Sluice-Error is ${reason}`);
        return answer;
      },
  };
}
