// The sandbox's own paths: its page, the requests of a key, the page to try requests, the clock and the reset.
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../src/platform/config/config.ts';
import { originOf } from '../../src/platform/http/origin.ts';
import type { House } from './house.ts';
import { groupOf, keyOf } from './inspecting.ts';
import { page } from './page.ts';
import { tryProductInformation } from './product-information.ts';
import { TEST_KEYS } from './seed-data.ts';
import { TRY_POLICY, TRY_SCRIPT, tryPage } from './try-page.ts';

const RETRY_AFTER_SECONDS = 1;
const FORM_BYTES_MAX = 4_096;
const RESET_REFUSED = 'Only a test key of the sandbox can reset it, in the header X-Api-Key.';
const KEY_NEEDED = 'Send a test key of the sandbox in the header X-Api-Key.';
const ADVANCE_SECONDS_MAX = 366 * 24 * 60 * 60;
/** The address in the pages of docs/channels. */
export const DOCUMENTED_ORIGIN = 'http://127.0.0.1:8081';
const RESETTING = 'The sandbox is being reset. Please send it again.';

export interface Reply {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

type Handler = (request: IncomingMessage, url: URL) => Promise<Reply>;

export function routesOf(house: House, config: Config): Record<string, Record<string, Handler>> {
  return {
    '/sandbox': {
      GET: (request) => showPage(house, config, request),
      POST: (request) => showPageOfKey(house, config, request),
    },
    '/sandbox/requests': {
      GET: (request, url) => listRequests(house, url.searchParams.get('key') ?? keyOf(request)),
    },
    '/sandbox/try': { GET: () => showTryPage(house) },
    '/sandbox/try.js': { GET: sendTryScript },
    '/sandbox/time': { POST: (request) => advanceTime(house, request) },
    '/sandbox/product-information': { POST: (request) => tryAddress(config, request) },
    '/sandbox/reset': { POST: (request) => reset(house, config, request) },
  };
}

const showPage = async (house: House, config: Config, request: IncomingMessage): Promise<Reply> => ({
  status: 200,
  body: page({
    base: baseOf(config, request),
    exchanges: house.recorder.of(null),
    of: null,
    fault: null,
  }),
});

async function showPageOfKey(house: House, config: Config, request: IncomingMessage): Promise<Reply> {
  const key = (await readForm(request)).get('key')?.trim() ?? '';
  const { running } = house;
  if (running === null) return busy();
  const group = await groupOf(running, key);
  const fault = group === null ? 'No active channel has this key.' : null;
  const exchanges = house.recorder.of(group);
  const of = group === null ? null : key;
  return {
    status: group === null ? 401 : 200,
    body: page({ base: baseOf(config, request), exchanges, of, fault }),
  };
}

/** `key` null: requests without a known key. */
async function listRequests(house: House, key: string | null): Promise<Reply> {
  const { running } = house;
  if (running === null) return busy();
  const group = await groupOf(running, key);
  if (key !== null && group === null) return problem(401, 'The API key is not valid.');
  return { status: 200, body: { data: house.recorder.of(group) } };
}

async function showTryPage({ running }: House): Promise<Reply> {
  if (running === null) return busy();
  return {
    status: 200,
    body: tryPage(running.document),
    headers: { 'content-security-policy': TRY_POLICY },
  };
}

const sendTryScript = async (): Promise<Reply> => ({
  status: 200,
  body: TRY_SCRIPT,
  headers: { 'content-type': 'text/javascript; charset=utf-8' },
});

async function advanceTime(house: House, request: IncomingMessage): Promise<Reply> {
  if (!TEST_KEYS.includes(keyOf(request) ?? '')) return problem(401, KEY_NEEDED);
  const { advance_seconds = -1 } = await readJson<{ advance_seconds: number }>(request);
  const isValid =
    Number.isInteger(advance_seconds) && advance_seconds >= 0 && advance_seconds <= ADVANCE_SECONDS_MAX;
  if (!isValid) return problem(422, `advance_seconds is a whole number from 0 to ${ADVANCE_SECONDS_MAX}.`);
  if (house.running === null) return busy();
  await house.travel(advance_seconds);
  return { status: 200, body: { data: { advanced_seconds: advance_seconds } } };
}

async function tryAddress(config: Config, request: IncomingMessage): Promise<Reply> {
  const key = keyOf(request) ?? '';
  if (!TEST_KEYS.includes(key)) return problem(401, KEY_NEEDED);
  const { api_url, usercode } = await readJson<{ api_url: string; usercode: string }>(request);
  if (typeof api_url !== 'string' || typeof usercode !== 'string')
    return problem(422, 'api_url and usercode are required texts.');
  const allow = config.allow_private_channel_urls;
  return { status: 200, body: { data: await tryProductInformation({ api_url, usercode }, key, allow) } };
}

async function reset(house: House, config: Config, request: IncomingMessage): Promise<Reply> {
  const isPage = request.headers.accept?.includes('text/html') === true;
  if (!(await hasTestKey(request))) {
    if (!isPage) return problem(401, RESET_REFUSED);
    const view = { base: baseOf(config, request), exchanges: house.recorder.of(null), of: null };
    return { status: 401, body: page({ ...view, fault: RESET_REFUSED }) };
  }
  const began = performance.now();
  await house.reset();
  const took_ms = Math.round(performance.now() - began);
  // The reset button of the page redirects back to the page.
  return isPage
    ? { status: 303, body: {}, headers: { location: '/sandbox' } }
    : { status: 200, body: { data: { took_ms } } };
}

export const problem = (status: number, error: string): Reply => ({ status, body: { error } });
export const busy = (): Reply => ({
  ...problem(503, RESETTING),
  headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
});

const baseOf = (config: Config, request: IncomingMessage): string => `${originOf(request, config)}/api/v1`;

/**
 * Compares with the list and not with the database: after a failed reset there is no database, and a reset must
 * still be possible.
 */
async function hasTestKey(request: IncomingMessage): Promise<boolean> {
  const key = keyOf(request) ?? (await readForm(request)).get('key')?.trim();
  request.resume();
  return key !== undefined && TEST_KEYS.includes(key);
}

/** A body that is not a JSON object has no fields. */
async function readJson<T>(request: IncomingMessage): Promise<Partial<T>> {
  try {
    const value: unknown = JSON.parse(await readText(request));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const readForm = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams(await readText(request));

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > FORM_BYTES_MAX) break;
  }
  return text;
}
