// The HTTP server: serves the sandbox's own paths, and forwards everything else to the service.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../../src/platform/config/config.ts';
import { isForeign } from '../../src/platform/accounts/session-cookie.ts';
import {
  answerBrokenRequest,
  handleUnrouted,
  followExchange,
} from '../../src/platform/http/broken-requests.ts';
import { securityHeadersFor, type SecurityHeaders } from '../../src/platform/http/security-headers.ts';
import { originOf } from '../../src/platform/http/origin.ts';
import { requestIdOf, transportTimeouts } from '../../src/platform/http/options.ts';
import { faultOf, replyOf, type Fault } from './faults.ts';
import type { House } from './house.ts';
import { inspect, isOfChannel } from './inspecting.ts';
import { busy, DOCUMENTED_ORIGIN, problem, routesOf, type Reply } from './own-routes.ts';
import { PAGE_POLICY } from './page.ts';
import { answerInstead, pass, type ForwardedRequest } from './passing.ts';

/** What the parts of the server share. */
interface Front {
  house: House;
  config: Config;
  securityHeaders: SecurityHeaders;
  routes: ReturnType<typeof routesOf>;
}

export function createFront(house: House, config: Config): Server {
  const { http, ...timeouts } = transportTimeouts(config.timeouts);
  const server = createServer({ ...http, ...timeouts });
  const securityHeaders = securityHeadersFor(config);
  const front: Front = { house, config, securityHeaders, routes: routesOf(house, config) };
  server.on('request', (request, response) => {
    followExchange(request, response);
    serve(front, request, response).catch((error: unknown) => {
      console.error(`sandbox: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent) response.destroy();
      else answer(front, request, response, problem(500, 'Something went wrong in the sandbox.'));
    });
  });
  server.on('clientError', (error, socket) =>
    answerBrokenRequest(error, socket as IncomingMessage['socket'], securityHeaders),
  );
  handleUnrouted(server, securityHeaders, config.timeouts.idle_connection_ms);
  return server;
}

function serve(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = ownUrl(request);
  if (url !== null) return serveOwn(front, request, response, url);
  return isGuide(request) ? serveGuide(front, request, response) : passOn(front, request, response);
}

function answer(
  { securityHeaders }: Front,
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
): void {
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
}

async function serveOwn(
  front: Front,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const route = front.routes[url.pathname];
  const handle = route?.[request.method ?? ''];
  // CSRF protection: a page of another site must not reset the sandbox.
  if (request.method === 'POST' && isForeign(request, front.config)) {
    answer(front, request, response, problem(403, 'This page may not be used from another site.'));
  } else if (handle) {
    answer(front, request, response, await handle(request, url));
  } else if (route) {
    const allow = Object.keys(route).join(', ');
    answer(front, request, response, { ...problem(405, `Only ${allow}.`), headers: { allow } });
  } else answer(front, request, response, problem(404, 'There is nothing at this path.'));
}

async function passOn(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { house } = front;
  const { running } = house;
  if (running === null) {
    request.resume();
    answer(front, request, response, busy());
    return;
  }
  const fault = faultOf(request);
  const forwarded =
    fault === null || fault.kind === 'slow' || fault.kind === 'reset'
      ? pass(request, response, running, fault)
      : answerFault(front, request, response, fault);
  house.pass(forwarded);
  const passed = await forwarded.finished;
  if (isOfChannel(request)) await inspect(house, running, request, passed);
}

const answerFault = (
  { securityHeaders }: Front,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
): ForwardedRequest =>
  answerInstead(request, response, (sent) => {
    const reply = replyOf(fault, sent);
    if (reply === null) throw new RangeError(`${fault.kind} is left to the service`);
    const { status, body, reason } = reply;
    const headers = {
      ...securityHeaders,
      'x-request-id': requestIdOf(request),
      'content-type': 'application/json; charset=utf-8',
      'sluice-error': reason,
      ...reply.headers,
    };
    return { status, body, headers };
  });

/** Serves the guides with the actual address of this sandbox. */
async function serveGuide(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { house, config, securityHeaders } = front;
  const { running } = house;
  if (running === null) return answer(front, request, response, busy());
  const found = await fetch(new URL(request.url ?? '/', running.origin));
  const text = (await found.text()).replaceAll(DOCUMENTED_ORIGIN, originOf(request, config));
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
}

const isGuide = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && /^\/docs\/channels(?:\/[\w-]+)?$/.test(url);

/** Returns null if the path belongs to the service. */
function ownUrl({ url = '' }: IncomingMessage): URL | null {
  if (!/^\/sandbox(?:[/?]|$)/.test(url)) return null;
  return URL.canParse(url, 'http://sandbox') ? new URL(url, 'http://sandbox') : null;
}
