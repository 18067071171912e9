// Reads request bodies. Fastify's reader waits for the end of the stream, copies the bytes and creates a dozen
// listeners and closures, which took a tenth of the service time of an order. Nearly every body arrives in one chunk
// with a known length.
import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { asError } from '../log/system-error.ts';
import { parseJsonBody } from '../schema/json-body.ts';
import { OPEN_BODY_BYTES_MAX } from './options.ts';

/** Receives the bytes before they are parsed; throws or rejects to refuse them. */
type Check = (request: FastifyRequest, body: Buffer) => void | Promise<void>;
type Done = (error: Error | null, body?: unknown) => void;

const JSON_TYPE = 'application/json';
const EMPTY = Buffer.alloc(0);

/** Every body is parsed as JSON, whatever its content type. */
export const readJsonBodies = (app: FastifyInstance): void => readBodies(app, () => {});

/** For a hook before the body: Fastify refuses unknown content types, and skips an empty body without a type. */
export function treatBodyAsJson(request: FastifyRequest): void {
  const { headers } = request.raw;
  // Fastify creates the object of `routeOptions` at each access.
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
  // NaN: unknown, the body ends with the stream.
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.NaN;
  if (length === 0) return done(null, EMPTY);
  // The minimum of all routes.
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
    // Not an error of the service: the client closed the connection, or the body was refused.
    error.statusCode ??= 400;
    end(error, EMPTY);
  });
}

function checkAndParse(check: Check, request: FastifyRequest, body: Buffer, done: Done): void {
  let checked: void | Promise<void>;
  try {
    checked = check(request, body);
  } catch (error) {
    done(asError(error));
    return;
  }
  if (checked) checked.then(() => parse(request, body, done), done);
  else parse(request, body, done);
}

function parse(request: FastifyRequest, body: Buffer, done: Done): void {
  // Many clients send a JSON content type with every request, also with a DELETE without a body.
  if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null);
  let parsed: unknown;
  try {
    parsed = parseJsonBody(body);
  } catch (error) {
    done(asError(error));
    return;
  }
  done(null, parsed);
}
