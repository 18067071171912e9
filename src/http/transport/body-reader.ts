// Reads the bodies of requests. Fastify's own reader waits for the end of the stream, copies the bytes and takes a dozen
// listeners and closures for it, which was a tenth of the service's time for an order. Nearly every body arrives in one
// chunk, and its length is known before.
import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { parseJsonBody } from './json-body.ts';
import { OPEN_BODY_BYTES_MAX } from './options.ts';
import { compileValidator } from '../validation.ts';

/** Sees the bytes before they are parsed, and throws or rejects with what it objects to. */
type Check = (request: FastifyRequest, body: Buffer) => void | Promise<void>;
type Done = (error: Error | null, body?: unknown) => void;

const JSON_TYPE = 'application/json';
const EMPTY = Buffer.alloc(0);

/** Every body is JSON, whatever its content type says; every schema is checked in our words. */
export function readJson(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  readBodies(app, () => {});
}

/** For a hook before the body: Fastify refuses types that it cannot read, and skips an empty body without a type. */
export function takeForJson(request: FastifyRequest): void {
  const { headers } = request.raw;
  // Fastify makes the object of `routeOptions` anew each time.
  if (headers['content-type'] !== undefined || request.routeOptions.schema?.body !== undefined)
    headers['content-type'] = JSON_TYPE;
}

export function readBodies(scope: FastifyInstance, check: Check): void {
  scope.removeAllContentTypeParsers();
  // Bodies without a type are read by `*`.
  for (const type of [JSON_TYPE, '*'])
    scope.addContentTypeParser(type, (request, payload, done) => {
      readBody(request, payload, (error, body) => {
        if (error) done(error);
        else checkAndParse(check, request, body, done);
      });
    });
}

function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const { headers } = request.raw;
  // NaN: it is over when the stream ends.
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.NaN;
  if (length === 0) return done(null, EMPTY);
  // No route takes less.
  const bytesMax = length <= OPEN_BODY_BYTES_MAX ? OPEN_BODY_BYTES_MAX : request.routeOptions.bodyLimit;
  if (length > bytesMax) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), EMPTY);
  let isOver = false;
  let received = 0;
  let chunks: Buffer[] | null = null;
  const end = (error: Error | null, body: Buffer): void => {
    if (isOver) return;
    isOver = true;
    done(error, body);
  };
  payload.on('data', (chunk: Buffer) => {
    if (isOver) return;
    received += chunk.length;
    if (chunk.length === length) return end(null, chunk);
    if (received > bytesMax) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), EMPTY);
    chunks ??= [];
    chunks.push(chunk);
    if (received === length) end(null, Buffer.concat(chunks, received));
  });
  if (Number.isNaN(length)) payload.once('end', () => end(null, Buffer.concat(chunks ?? [], received)));
  payload.on('error', (error: Error & { statusCode?: number }) => {
    // Not a fault of the service: the client has gone, or its body was refused while it was read.
    error.statusCode ??= 400;
    end(error, EMPTY);
  });
}

function checkAndParse(check: Check, request: FastifyRequest, body: Buffer, done: Done): void {
  let checked: void | Promise<void>;
  try {
    checked = check(request, body);
  } catch (error) {
    done(error as Error);
    return;
  }
  if (checked) checked.then(() => parse(body, done), done);
  else parse(body, done);
}

function parse(body: Buffer, done: Done): void {
  let parsed: unknown;
  try {
    parsed = parseJsonBody(body);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, parsed);
}
