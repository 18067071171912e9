// Reads the stock of a channel from a service, as a channel does: several requests at a time, with limits on time and
// size and with retries if the service is busy. Redirects are not followed, because the key would go to another
// server.
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyHeader } from '../../core/rules/api-key.ts';
import { systemError } from '../../platform/log/system-error.ts';
import type { ListedStock, StockValues } from './lists.ts';

/** Long, because a service may compute its list row by row. */
const LIST_TIMEOUT_MS = 120_000;
const LOOKUP_TIMEOUT_MS = 15_000;
const LIST_BYTES_MAX = 256 * 1024 * 1024;
const LOOKUP_BYTES_MAX = 64 * 1024;
const TRIES_MAX = 6;
const PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
export const CONCURRENCY = 8;

/** The service could not be read; the message is a sentence for people. */
export class CannotRead extends Error {
  override readonly name = 'CannotRead';
}

interface Answer {
  status: number;
  body: Buffer;
  retry_after: string | undefined;
}

export interface StockSource {
  list(): Promise<ListedStock>;
  /** null: 404. */
  lookup(sku: string): Promise<StockValues | null>;
  close(): void;
}

/** `title`: the name of the service in messages. `base`: the URL that ends in /api/v1. */
export function openSource(title: string, base: URL, key: string): StockSource {
  const name = `${title} (${base.origin})`;
  const isSecure = base.protocol === 'https:';
  const limits = { keepAlive: true, maxSockets: CONCURRENCY };
  const agent = isSecure ? new https.Agent(limits) : new http.Agent(limits);
  const headers = {
    'X-Api-Key': keyHeader(key),
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': 'sluice-compare',
  };
  const root = base.pathname.replace(/\/+$/, '');
  const ask = (path: string, timeout_ms: number, bytes_max: number): Promise<Answer> => {
    const options = { method: 'GET', path: `${root}${path}`, headers, agent };
    const start = (): http.ClientRequest =>
      isSecure ? https.request(base, options) : http.request(base, options);
    return patiently(name, () => once(start, timeout_ms, bytes_max));
  };
  return {
    async list() {
      const answer = await ask('/inventory', LIST_TIMEOUT_MS, LIST_BYTES_MAX);
      if (answer.status !== 200)
        throw new CannotRead(`${name} answered its list with ${statusText(answer)}.`);
      return parseList(name, answer.body);
    },
    async lookup(sku) {
      const path = `/inventory/${encodeURIComponent(sku)}`;
      const answer = await ask(path, LOOKUP_TIMEOUT_MS, LOOKUP_BYTES_MAX);
      if (answer.status === 404) return null;
      if (answer.status !== 200)
        throw new CannotRead(
          `${name} answered the lookup of ${JSON.stringify(sku)} with ${statusText(answer)}.`,
        );
      const found = parse(name, answer.body);
      if (!isObject(found)) throw new CannotRead(`${name} answered a lookup that is not a JSON object.`);
      return found;
    },
    close: () => agent.destroy(),
  };
}

function statusText({ status }: Answer): string {
  if (status === 404) return '404: its base address must end in /api/v1';
  if (status === 401) return '401: this service does not accept the key';
  if (status >= 300 && status < 400)
    return `${status}: redirects are not followed, because the key would be sent along`;
  return String(status);
}

/** Retries with growing pauses after a lost connection or if the service is busy. */
async function patiently(name: string, attempt: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const outcome = await attempt().catch((error: unknown) => reasonOf(error));
    const isBusy = typeof outcome === 'string' || outcome.status === 503 || outcome.status === 429;
    if (!isBusy) return outcome;
    if (tries === TRIES_MAX) {
      const reason = typeof outcome === 'string' ? outcome : `it answers ${outcome.status}`;
      throw new CannotRead(`${name} cannot be read: ${reason}.`);
    }
    const wanted = typeof outcome === 'string' ? 0 : Number(outcome.retry_after ?? 0) * 1000;
    const pause = Math.max(Number.isFinite(wanted) ? wanted : 0, PAUSE_MS * 2 ** (tries - 1));
    await sleep(Math.min(PAUSE_MS_MAX, pause));
  }
}

/**
 * Why to retry: only the error code, because its message can repeat what was sent. Throws errors that a retry cannot
 * fix.
 */
function reasonOf(error: unknown): string {
  if (error instanceof CannotRead) throw error;
  const { code } = systemError(error);
  if (code === undefined) throw error;
  return code === 'ECONNREFUSED' ? 'the connection is refused' : `the connection failed (${code})`;
}

function once(start: () => http.ClientRequest, timeout_ms: number, bytes_max: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = start();
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
      request.destroy();
    };
    // One timer for everything: a socket timeout restarts with every byte.
    const timer = setTimeout(() => {
      fail(Object.assign(new Error('too slow'), { code: `no answer within ${timeout_ms / 1000} s` }));
    }, timeout_ms);
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > bytes_max) fail(new CannotRead(`an answer is larger than ${bytes_max} bytes.`));
        else chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks),
          retry_after: response.headers['retry-after'],
        });
      });
    });
    request.end();
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(name: string, body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new CannotRead(`${name} answered something that is not JSON.`);
  }
}

function parseList(name: string, body: Buffer): ListedStock {
  const answer = parse(name, body);
  const data = isObject(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data)) throw new CannotRead(`${name} answered a list without data.`);
  const rows = new Map<string, StockValues>();
  const repeated = new Set<string>();
  for (const row of data) {
    const sku: unknown = isObject(row) ? row['sku'] : undefined;
    if (!isObject(row) || typeof sku !== 'string')
      throw new CannotRead(`${name} answered a list with a row without sku.`);
    if (rows.has(sku)) repeated.add(sku);
    rows.set(sku, row);
  }
  return { rows, repeated: [...repeated] };
}
