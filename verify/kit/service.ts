// The service in the test process, with its own database and real HTTP. After each test that uses it, the counters are
// reconciled with orders and ledger.
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { after, afterEach } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { readConfig, type Config } from '../../src/platform/config/config.ts';
import { createLogger } from '../../src/platform/log/log.ts';
import { createService, type Service } from '../../src/start/service.ts';
import { reconcile } from '../../src/core/reconcile/store.ts';
import { ADMIN_TOKEN, TEST_SECRET } from './canaries.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { jsonRequest } from './plain-request.ts';
import { keep, lineSink } from './written.ts';

export { ADMIN_TOKEN, TEST_SECRET };

export interface HttpAnswer {
  status: number;
  // Untyped for assertions: a wrong access fails the assertion.
  json: any;
  text: string;
  headers: Headers;
}

/** Idle connections do not keep the process. */
const agent = new Agent({ keepAlive: true });

/**
 * One request. Strings and bytes are sent as they are, anything else as JSON. Not by fetch, which costs more than twice as
 * much: it took 15 % of the time of the test processes' main thread.
 */
export async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const sent = body === undefined ? null : isRaw ? body : JSON.stringify(body);
  const answer = await jsonRequest(url, { method, agent, headers }, sent);
  const { text } = answer;
  if (answer.status >= 400) keep('answers', `${answer.status} ${text}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: answer.status, json, text, headers: headersOf(answer.headers) };
}

/** As fetch has them. */
export function headersOf(received: IncomingHttpHeaders): Headers {
  const pairs = Object.entries(received).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new Headers(pairs);
}

/** Generous timeouts for tests with many concurrent requests, which may run on a busy machine. */
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
  /** Log lines so far, from level info. */
  log: LogLine[];
  /** /admin/v1 as administrator, or with another token. */
  admin(method: string, path: string, body?: unknown, token?: string): Promise<HttpAnswer>;
  /** /api/v1 with a key; undefined sends none. */
  channel(apiKey: string | undefined): ChannelCall;
}

/** Hashes a password in 1 ms instead of 0.2 s. Services started as processes and the commands use the real cost. */
export const CHEAP_COST_LOG2 = 10;

interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

export interface TestServiceOptions {
  env?: Record<string, string>;
  /** Settings without an environment variable, such as the directory of the console's files. */
  config?: Partial<Config>;
  /** Another process on the same database: share it instead of creating one. */
  database?: TestDatabase;
  /** Another URL of the same database, such as a proxy. */
  url?: string;
}

/**
 * By database, since services of one file may share it. On a connection of its own, where the statement is planned once:
 * planning takes seven times as long as running it on few rows.
 */
const reconciling = new WeakSet<TestDatabase>();

function reconcileAfterEach(database: TestDatabase): void {
  if (reconciling.has(database)) return;
  reconciling.add(database);
  const pool = new pg.Pool({
    connectionString: database.adminUrl,
    options: '-c plan_cache_mode=force_generic_plan',
    max: 1,
  });
  // The server may close it at any moment; the next test gets another one.
  pool.on('error', () => {});
  afterEach(async () => {
    const report = await reconcile(pool);
    assert.equal(report.ok, true, `counters drifted: ${JSON.stringify(report.drift, null, 1)}`);
  });
  after(() => pool.end());
}

/**
 * Starts the service, stops it after the tests of the file, and reconciles after each test. Call it at the top of a test
 * file.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const opened = await openService(options);
  reconcileAfterEach(opened.database);
  after(() => opened.close());
  return opened;
}

/** For callers outside of tests, which must close it themselves. */
export async function openService(
  options: TestServiceOptions = {},
): Promise<TestService & { close(): Promise<void> }> {
  const database = options.database ?? (await createDatabase());
  const env = {
    PORT: '0',
    SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    LOG_LEVEL: 'trace',
    // Most tests need no jobs, or run one explicitly.
    SLUICE_JOBS: '0',
    ...options.env,
  };
  const shown = { stream: process.stdout, level: process.env['LOG_LEVEL'] ?? 'silent' };
  const log: LogLine[] = [];
  const kept = { stream: lineSink((line) => keep('log', line)), level: 'trace' };
  const recorded = { stream: lineSink((line) => void log.push(JSON.parse(line) as LogLine)), level: 'info' };
  const logger = createLogger('trace', { stream: pino.multistream([shown, kept, recorded]) });
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
    ...callsTo(origin),
  };
}

/** Calls of a service that may be another process. */
export const callsTo = (origin: string): Pick<TestService, 'admin' | 'channel'> => ({
  admin: (method, path, body, token = ADMIN_TOKEN) =>
    call(`${origin}/admin/v1${path}`, method, body, { authorization: `Bearer ${token}` }),
  channel:
    (apiKey) =>
    async (method, path, body, headers = {}) => {
      const answer = await call(`${origin}/api/v1${path}`, method, body, {
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...headers,
      });
      // Contract 10.2, checked in every test: refusals have a Sluice-Error header, other answers do not.
      const reason = answer.headers.get('sluice-error');
      assert.equal(reason !== null, answer.status >= 400, `${answer.status}: Sluice-Error is ${reason}`);
      return answer;
    },
});
