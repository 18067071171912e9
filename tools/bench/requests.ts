// The bytes of requests: templates with a counter. UTF-8 text stored as one character per byte, which a socket writes
// without encoding.
import { createHmac, createSecretKey } from 'node:crypto';
import { signedPrefix } from '../../src/core/rules/signature.ts';
import { chooseVariants, orderNumber, skuOf } from './catalogue-names.ts';
import type { Job } from './job.ts';

/** Returns the next request of a connection; null: no requests left. */
export type NextRequest = (connection: number) => string | null;

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

export function requestsOf({ request, keys, signing_secret }: Job): NextRequest {
  const [key = ''] = keys;
  switch (request.kind) {
    case 'order':
      return signing_secret === null ? newOrders(request, key) : signedOrders(request, key, signing_secret);
    case 'resend':
      return resends(request, key);
    case 'walk':
      return walks(request, key);
    case 'lookup': {
      const head = (sku: string) => get(`${request.path}/${sku}`, key, {});
      return () => head(skuOf(chooseVariants('uniform', request.variants)[0]));
    }
    case 'get': {
      // With several keys the channels are polled in turn.
      const all = request.paths.flatMap((path) => keys.map((each) => get(path, each, request.headers)));
      let sent = 0;
      return () => all[sent++ % all.length] ?? null;
    }
  }
}

type PlanOf<K extends Job['request']['kind']> = Extract<Job['request'], { kind: K }>;

function newOrders(plan: PlanOf<'order'>, key: string): NextRequest {
  const body = bodiesOf(plan);
  const head = postHead(plan.path, key, body(0).length);
  let sent = 0;
  return () => head + body(sent++);
}

function signedOrders(plan: PlanOf<'order'>, key: string, secret: string): NextRequest {
  const body = bodiesOf(plan);
  const signingKey = createSecretKey(secret, 'utf8');
  const length = body(0).length;
  let sent = 0;
  return () => {
    const text = body(sent++);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const hmac = createHmac('sha256', signingKey).update(signedPrefix('POST', plan.path, timestamp));
    const signature = `v1=${hmac.update(text, 'latin1').digest('hex')}`;
    const headers = { 'X-Sluice-Timestamp': timestamp, 'X-Sluice-Signature': signature };
    return postHead(plan.path, key, length, headers) + text;
  };
}

function bodiesOf({ prefix, skus, variants }: PlanOf<'order'>): (index: number) => string {
  return (index) => {
    const [first, second] = chooseVariants(skus, variants);
    return orderBody(orderNumber(prefix, index), skuOf(first), skuOf(second));
  };
}

function resends({ path, prefix, count }: PlanOf<'resend'>, key: string): NextRequest {
  const body = (index: number): string => orderBody(orderNumber(prefix, index), skuOf(1), skuOf(2));
  const head = postHead(path, key, body(0).length);
  let sent = 0;
  return () => head + body(sent++ % count);
}

const PREPARE = '{"status":2}';
const SHIP = bytes('{"status":3,"tracking_number":"6812345678901","courier_code":"CJ대한통운"}');
const CANCEL = bytes('{"status":88,"reason":"고객 변심"}');

/** Two reports per order: preparation, then alternately shipped or cancelled. */
function walks({ path, prefix, count }: PlanOf<'walk'>, key: string): NextRequest {
  const under = new Map<number, number>();
  let started = 0;
  return (connection) => {
    const current = under.get(connection);
    if (current === undefined && started >= count) return null;
    const order = current ?? started++;
    if (current === undefined) under.set(connection, order);
    else under.delete(connection);
    const body = current === undefined ? PREPARE : order % 2 === 0 ? SHIP : CANCEL;
    return postHead(`${path}/${orderNumber(prefix, order)}/status`, key, body.length) + body;
  };
}

const ORDER_MIDDLE = bytes(
  '","recipient_name":"김민수","recipient_phone":"010-2345-6789",' +
    '"shipping_address":"서울특별시 강남구 테헤란로 152, 7층 (역삼동) 06236","items":[{"sku":"',
);

const orderBody = (number: string, first: string, second: string): string =>
  `{"order_number":"${number}${ORDER_MIDDLE}${first}","quantity":1,"unit_price":12900},` +
  `{"sku":"${second}","quantity":1,"unit_price":45000}]}`;

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

const postHead = (path: string, key: string, length: number, headers = {}): string =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n${linesOf(headers)}` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const get = (path: string, key: string, headers: Readonly<Record<string, string>>): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n${linesOf(headers)}\r\n`;
