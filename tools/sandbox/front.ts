// The HTTP server: serves the sandbox's own pages and its reset, and forwards everything else to the service.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../../src/config.ts';
import { isForeign } from '../../src/http/admin/session-cookie.ts';
import {
  answerBrokenRequest,
  handleUnrouted,
  followExchange,
} from '../../src/http/transport/broken-requests.ts';
import { securityHeadersFor } from '../../src/http/transport/security-headers.ts';
import { requestIdOf, transportTimeouts } from '../../src/http/transport/options.ts';
import { faultOf, replyOf, type Fault } from './faults.ts';
import type { House } from './house.ts';
import { groupOf, inspect, isOfChannel, keyOf } from './inspecting.ts';
import { page, PAGE_POLICY } from './page.ts';
import { answerInstead, pass, type ForwardedRequest } from './passing.ts';
import { tryProductInformation } from './product-information.ts';
import { TEST_KEYS } from './seed-data.ts';
import { TRY_POLICY, TRY_SCRIPT, tryPage } from './try-page.ts';

const RETRY_AFTER_SECONDS = 1;
const FORM_BYTES_MAX = 4_096;
const RESET_REFUSED = 'Only a test key of the sandbox can reset it, in the header X-Api-Key.';
const KEY_NEEDED = 'Send a test key of the sandbox in the header X-Api-Key.';
const ADVANCE_SECONDS_MAX = 366 * 24 * 60 * 60;
/** The address in the pages of docs/channels. */
const DOCUMENTED_ORIGIN = 'http://127.0.0.1:8081';
const RESETTING = 'The sandbox is being reset. Please send it again.';

interface Reply {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

type Handler = (request: IncomingMessage, url: URL) => Promise<Reply>;

export function createFront(house: House, config: Config): Server {
  const securityHeaders = securityHeadersFor(config);
  const { http, ...timeouts } = transportTimeouts(config.timeouts);
  const server = createServer({ ...http, ...timeouts });
  const routes = routesOf(house, config);

  const answer = (request: IncomingMessage, response: ServerResponse, reply: Reply): void => {
    const isPage = typeof reply.body === 'string';
    response.writeHead(reply.status, {
      ...securityHeaders,
      'x-request-id': requestIdOf(request),
      'cache-control': 'no-store',
      'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      // Without a referrer, browsers would not send the Origin of a form either.
      ...(isPage ? { 'content-security-policy': PAGE_POLICY, 'referrer-policy': 'same-origin' } : {}),
      ...reply.headers,
    });
    response.end(isPage ? reply.body : JSON.stringify(reply.body));
  };

  const serveOwn = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const route = routes[url.pathname];
    const handle = route?.[request.method ?? ''];
    // CSRF protection: a page of another site must not reset the sandbox.
    if (request.method === 'POST' && isForeign(request, config)) {
      answer(request, response, problem(403, 'This page may not be used from another site.'));
    } else if (handle) {
      answer(request, response, await handle(request, url));
    } else if (route) {
      const allow = Object.keys(route).join(', ');
      answer(request, response, { ...problem(405, `Only ${allow}.`), headers: { allow } });
    } else answer(request, response, problem(404, 'There is nothing at this path.'));
  };

  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { running } = house;
    if (running === null) {
      request.resume();
      answer(request, response, busy());
      return;
    }
    const fault = faultOf(request);
    const forwarded =
      fault === null || fault.kind === 'slow' || fault.kind === 'reset'
        ? pass(request, response, running, fault)
        : answerFault(request, response, fault);
    house.pass(forwarded);
    const passed = await forwarded.finished;
    if (isOfChannel(request)) await inspect(house, running, request, passed);
  };

  const answerFault = (request: IncomingMessage, response: ServerResponse, fault: Fault): ForwardedRequest =>
    answerInstead(request, response, (sent) => {
      const reply = replyOf(fault, sent);
      if (reply === null) throw new RangeError(`${fault.kind} is left to the service`);
      const { status, body, reason, retry_after_s } = reply;
      const headers = {
        ...securityHeaders,
        'x-request-id': requestIdOf(request),
        'content-type': 'application/json; charset=utf-8',
        'sluice-error': reason,
        ...(retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }),
      };
      return { status, body, headers };
    });

  /** Serves the guides with the actual address of this sandbox. */
  const serveGuide = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { running } = house;
    if (running === null) return answer(request, response, busy());
    const found = await fetch(new URL(request.url ?? '/', running.origin));
    const text = (await found.text()).replaceAll(DOCUMENTED_ORIGIN, originOf(config, request));
    const kept = ['content-type', 'content-security-policy', 'referrer-policy'].flatMap((name) => {
      const value = found.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(found.status, {
      ...securityHeaders,
      'x-request-id': requestIdOf(request),
      ...Object.fromEntries(kept),
    });
    response.end(text);
  };

  server.on('request', (request, response) => {
    followExchange(request, response);
    const url = ownUrl(request);
    const serving =
      url !== null
        ? serveOwn(request, response, url)
        : isGuide(request)
          ? serveGuide(request, response)
          : passOn(request, response);
    serving.catch((error: unknown) => {
      console.error(`sandbox: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent) response.destroy();
      else answer(request, response, problem(500, 'Something went wrong in the sandbox.'));
    });
  });
  server.on('clientError', (error, socket) =>
    answerBrokenRequest(error, socket as IncomingMessage['socket'], securityHeaders),
  );
  handleUnrouted(server, securityHeaders, config.timeouts.idle_connection_ms);
  return server;
}

const problem = (status: number, error: string): Reply => ({ status, body: { error } });
const busy = (): Reply => ({
  ...problem(503, RESETTING),
  headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
});

const isGuide = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && /^\/docs\/channels(?:\/[\w-]+)?$/.test(url);

/** The origin under which the client reaches the sandbox. An invalid Host header is not used. */
function originOf(config: Config, { headers }: IncomingMessage): string {
  const host = headers.host ?? '';
  return config.public_url ?? (/^[\w.:[\]-]+$/.test(host) ? `http://${host}` : DOCUMENTED_ORIGIN);
}

/** Returns null if the path belongs to the service. */
function ownUrl({ url = '' }: IncomingMessage): URL | null {
  if (!/^\/sandbox(?:[/?]|$)/.test(url)) return null;
  return URL.canParse(url, 'http://sandbox') ? new URL(url, 'http://sandbox') : null;
}

function routesOf(house: House, config: Config): Record<string, Record<string, Handler>> {
  const baseOf = (request: IncomingMessage): string => `${originOf(config, request)}/api/v1`;

  /** `key` null: requests without a known key. */
  const exchangesOf = async (key: string | null): Promise<Reply> => {
    const { running } = house;
    if (running === null) return busy();
    const group = await groupOf(running, key);
    if (key !== null && group === null) return problem(401, 'The API key is not valid.');
    return { status: 200, body: { data: house.recorder.of(group) } };
  };

  return {
    '/sandbox': {
      GET: async (request) => ({
        status: 200,
        body: page({ base: baseOf(request), exchanges: house.recorder.of(null), of: null, fault: null }),
      }),
      POST: async (request) => {
        const key = (await readForm(request)).get('key')?.trim() ?? '';
        const { running } = house;
        if (running === null) return busy();
        const group = await groupOf(running, key);
        const fault = group === null ? 'No active channel has this key.' : null;
        const exchanges = house.recorder.of(group);
        const of = group === null ? null : key;
        return {
          status: group === null ? 401 : 200,
          body: page({ base: baseOf(request), exchanges, of, fault }),
        };
      },
    },
    '/sandbox/requests': {
      GET: (request, url) => exchangesOf(url.searchParams.get('key') ?? keyOf(request)),
    },
    '/sandbox/try': {
      GET: async () =>
        house.running === null
          ? busy()
          : {
              status: 200,
              body: tryPage(house.running.document),
              headers: { 'content-security-policy': TRY_POLICY },
            },
    },
    '/sandbox/try.js': {
      GET: async () => ({
        status: 200,
        body: TRY_SCRIPT,
        headers: { 'content-type': 'text/javascript; charset=utf-8' },
      }),
    },
    '/sandbox/time': {
      POST: async (request) => {
        if (!TEST_KEYS.includes(keyOf(request) ?? '')) return problem(401, KEY_NEEDED);
        const { advance_seconds = -1 } = await readJson<{ advance_seconds: number }>(request);
        const isValid =
          Number.isInteger(advance_seconds) && advance_seconds >= 0 && advance_seconds <= ADVANCE_SECONDS_MAX;
        if (!isValid)
          return problem(422, `advance_seconds is a whole number from 0 to ${ADVANCE_SECONDS_MAX}.`);
        if (house.running === null) return busy();
        await house.travel(advance_seconds);
        return { status: 200, body: { data: { advanced_seconds: advance_seconds } } };
      },
    },
    '/sandbox/product-information': {
      POST: async (request) => {
        const key = keyOf(request) ?? '';
        if (!TEST_KEYS.includes(key)) return problem(401, KEY_NEEDED);
        const { api_url, usercode } = await readJson<{ api_url: string; usercode: string }>(request);
        if (typeof api_url !== 'string' || typeof usercode !== 'string')
          return problem(422, 'api_url and usercode are required texts.');
        const allow = config.allow_private_channel_urls;
        return {
          status: 200,
          body: { data: await tryProductInformation({ api_url, usercode }, key, allow) },
        };
      },
    },
    '/sandbox/reset': {
      POST: async (request) => {
        const isPage = request.headers.accept?.includes('text/html') === true;
        if (!(await hasTestKey(request))) {
          const view = { base: baseOf(request), exchanges: house.recorder.of(null), of: null };
          return isPage
            ? { status: 401, body: page({ ...view, fault: RESET_REFUSED }) }
            : problem(401, RESET_REFUSED);
        }
        const began = performance.now();
        await house.reset();
        const took_ms = Math.round(performance.now() - began);
        // The reset button of the page redirects back to the page.
        return isPage
          ? { status: 303, body: {}, headers: { location: '/sandbox' } }
          : { status: 200, body: { data: { took_ms } } };
      },
    },
  };
}

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
