// One HTTP request to an untrusted server, with limits on time and size.

import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AddressNotAllowedError } from './address.ts';
import { type CallFailure, type FailureFacts, failed } from './failure.ts';

export const ANSWER_BYTES_MAX = 1024 * 1024;
/** In chunks of one byte, 1 MiB would be a million buffers of a hundred bytes each. */
const ANSWER_PIECES_MAX = 16_384;

// Node's default of 250 ms gives up on a distant address, and the next one may be an unreachable IPv6 address.
const CONNECT_ATTEMPT_MS = 1500;

type ExchangeRequest = {
  url: URL;
  headers: http.OutgoingHttpHeaders;
  lookup: LookupFunction;
  timeoutMs: number;
};

/** `body` is empty if the status is not 200 and the body could not be read. */
export type Exchange = { kind: 'response'; status: number; body: Buffer } | CallFailure;

export function exchange({ url, headers, lookup, timeoutMs }: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const request = startRequest({ ...requestOptions(url, { lookup }), headers });
    let answered = false;
    let status = 200;
    const settle = (outcome: Exchange): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(outcome);
    };
    // A status other than 200 matters more than an error while reading its body.
    const fail = (failure: CallFailure): void =>
      settle(status === 200 ? failure : { kind: 'response', status, body: Buffer.alloc(0) });

    // One timer for DNS, connection, TLS, headers and body: a socket timeout restarts with every byte.
    const timer = setTimeout(
      () => fail(failed({ reason: 'timeout', host: url.host, timeout_ms: timeoutMs })),
      timeoutMs,
    );
    const isHandshaking = watchHandshake(request, url);
    request.on('error', (error) => fail(describeError(error, url, isHandshaking())));
    // A status such as 101 ends without a response and without an error.
    request.on('close', () => {
      if (!answered) fail(unreachable(url.host, 'closed'));
    });
    request.on('response', (response) => {
      answered = true;
      status = response.statusCode ?? 0;
      const refusal = refuseHead(response, url);
      if (refusal) return fail(refusal);
      return readBody(response, url, settle, fail);
    });
    request.end();
  });
}

export const startRequest = (options: https.RequestOptions): http.ClientRequest =>
  options.protocol === 'https:' ? https.request(options) : http.request(options);

/** The options of a request, except its headers. */
export const requestOptions = (
  url: URL,
  { lookup, method = 'GET', agent = false }: RequestWay,
): https.RequestOptions & { autoSelectFamilyAttemptTimeout: number } => ({
  method,
  protocol: url.protocol,
  hostname: bareHost(url),
  port: url.port,
  path: url.pathname + url.search, // without the fragment
  lookup,
  agent,
  autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
});

interface RequestWay {
  lookup: LookupFunction;
  method?: 'GET' | 'POST';
  /** Not shared between hosts: a kept-alive connection would reuse an address that was checked for another call. */
  agent?: http.Agent | false;
}

/** The host without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/u, '$1');
}

// TLS errors have many codes, so they are recognized by when they occur.
export function watchHandshake(request: http.ClientRequest, url: URL): () => boolean {
  let handshaking = false;
  if (url.protocol === 'https:') {
    request.on('socket', (socket) => {
      // These events are over; the listeners would pile up as long as the connection stays open.
      if (request.reusedSocket) return;
      socket.once('connect', () => (handshaking = true));
      socket.once('secureConnect', () => (handshaking = false));
    });
  }
  return () => handshaking;
}

function refuseHead(response: http.IncomingMessage, url: URL): CallFailure | undefined {
  // Responses are never decompressed, so a small one cannot expand.
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    return failed({ reason: 'not_json', host: url.host, cause: 'content_encoding' });
  }
  return Number(response.headers['content-length'] ?? 0) > ANSWER_BYTES_MAX ? tooLarge(url) : undefined;
}

function readBody(
  response: http.IncomingMessage,
  url: URL,
  settle: (outcome: Exchange) => void,
  fail: (failure: CallFailure) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX || chunks.length >= ANSWER_PIECES_MAX) return fail(tooLarge(url));
    chunks.push(chunk);
  });
  response.on('error', () => fail(unreachable(url.host, 'broke_off')));
  response.on('end', () =>
    settle({ kind: 'response', status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
  );
}

const tooLarge = ({ host }: URL): CallFailure =>
  failed({ reason: 'too_large', host, part: 'answer', bytes_max: ANSWER_BYTES_MAX });

type Cause = Extract<FailureFacts, { reason: 'unreachable' }>['cause'];
export const unreachable = (host: string, cause: Cause, error_code: string | null = null): CallFailure =>
  failed({ reason: 'unreachable', host, cause, error_code });

// Only the error's code is shown: Node's error messages can repeat what was sent.
export function describeError(
  error: NodeJS.ErrnoException,
  { host, hostname }: URL,
  handshaking: boolean,
): CallFailure {
  const code = error.code ?? 'unknown';
  if (error instanceof AddressNotAllowedError)
    return failed({ reason: 'address_not_allowed', host, address: error.address });
  if (handshaking) return failed({ reason: 'tls', host, error_code: code });
  if (code === 'ECONNREFUSED') return failed({ reason: 'refused', host });
  if (code === 'ETIMEDOUT') return failed({ reason: 'timeout', host, timeout_ms: null });
  if (code === 'ENOTFOUND') return unreachable(hostname, 'name_unknown', code);
  if (code === 'HPE_HEADER_OVERFLOW') return failed({ reason: 'too_large', host, part: 'headers' });
  return unreachable(host, code.startsWith('HPE_') ? 'not_http' : 'network', code);
}
