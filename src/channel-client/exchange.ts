// One HTTP request to an untrusted server, with limits on time and size.

import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AddressNotAllowedError, NOT_PUBLIC } from './address.ts';
import { type Failure, failed } from './failure.ts';

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
export type Exchange = { kind: 'response'; status: number; body: Buffer } | Failure;

export function exchange({ url, headers, lookup, timeoutMs }: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const request = startRequest(url, headers, lookup);
    let answered = false;
    let status = 200;
    const settle = (outcome: Exchange): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(outcome);
    };
    // A status other than 200 matters more than an error while reading its body.
    const fail = (failure: Failure): void =>
      settle(status === 200 ? failure : { kind: 'response', status, body: Buffer.alloc(0) });

    // One timer for DNS, connection, TLS, headers and body: a socket timeout restarts with every byte.
    const timer = setTimeout(
      () => fail(failed('timeout', `${url.host} did not answer completely within ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    const isHandshaking = watchHandshake(request, url);
    request.on('error', (error) => fail(describeError(error, url, isHandshaking())));
    // A status such as 101 ends without a response and without an error.
    request.on('close', () => {
      if (!answered) fail(failed('unreachable', `${url.host} closed the connection without an answer.`));
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

function startRequest(
  url: URL,
  headers: http.OutgoingHttpHeaders,
  lookup: LookupFunction,
): http.ClientRequest {
  const options: https.RequestOptions & { autoSelectFamilyAttemptTimeout: number } = {
    method: 'GET',
    protocol: url.protocol,
    hostname: bareHost(url),
    port: url.port,
    path: url.pathname + url.search, // without the fragment
    headers,
    lookup,
    // No shared agent: a kept-alive connection would reuse an address that was checked for another call.
    agent: false,
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
  };
  return url.protocol === 'https:' ? https.request(options) : http.request(options);
}

/** The host without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/u, '$1');
}

// TLS errors have many codes, so they are recognized by when they occur.
function watchHandshake(request: http.ClientRequest, url: URL): () => boolean {
  let handshaking = false;
  if (url.protocol === 'https:') {
    request.on('socket', (socket) => {
      socket.once('connect', () => (handshaking = true));
      socket.once('secureConnect', () => (handshaking = false));
    });
  }
  return () => handshaking;
}

function refuseHead(response: http.IncomingMessage, url: URL): Failure | undefined {
  // Responses are never decompressed, so a small one cannot expand.
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    return failed('not_json', `${url.host} answered with a content encoding, although none was asked for.`);
  }
  return Number(response.headers['content-length'] ?? 0) > ANSWER_BYTES_MAX ? tooLarge(url) : undefined;
}

function readBody(
  response: http.IncomingMessage,
  url: URL,
  settle: (outcome: Exchange) => void,
  fail: (failure: Failure) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX || chunks.length >= ANSWER_PIECES_MAX) return fail(tooLarge(url));
    chunks.push(chunk);
  });
  response.on('error', () =>
    fail(failed('unreachable', `${url.host} broke off in the middle of its answer.`)),
  );
  response.on('end', () =>
    settle({ kind: 'response', status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
  );
}

function tooLarge(url: URL): Failure {
  return failed(
    'too_large',
    `The answer of ${url.host} is larger than ${ANSWER_BYTES_MAX / 1024 / 1024} MiB, or comes in too many pieces.`,
  );
}

// Only the error's code is shown: Node's error messages can repeat what was sent.
function describeError(error: NodeJS.ErrnoException, url: URL, handshaking: boolean): Failure {
  const code = error.code ?? 'unknown';
  if (error instanceof AddressNotAllowedError) {
    return failed('address_not_allowed', `${url.host} resolves to ${error.address}, which ${NOT_PUBLIC}.`);
  }
  if (handshaking) return failed('tls', `No secure connection to ${url.host} could be made (${code}).`);
  if (code === 'ECONNREFUSED') return failed('refused', `${url.host} refused the connection.`);
  if (code === 'ETIMEDOUT') return failed('timeout', `The connection to ${url.host} timed out.`);
  if (code === 'ENOTFOUND') return failed('unreachable', `The name ${url.hostname} does not exist.`);
  if (code === 'HPE_HEADER_OVERFLOW') return failed('too_large', `The headers of ${url.host} are too large.`);
  if (code.startsWith('HPE_')) return failed('unreachable', `${url.host} does not answer in HTTP (${code}).`);
  return failed('unreachable', `${url.host} cannot be reached (${code}).`);
}
