// The product-information call (contract 4.5): the service's only call to a channel.

import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { keyHeader } from '../rules/api-key.ts';
import { containsSecret, maskSecrets } from '../../platform/values/secret-masking.ts';
import type { ProductInfo } from '../rules/product-info.ts';
import { guardedLookup, isRefusedHost } from '../../platform/outbound/address.ts';
import { checkApiUrl, productInfoUrl, queryValues, SECRET_CHARS_MIN } from '../channels/api-url.ts';
import { bareHost, exchange } from '../../platform/outbound/exchange.ts';
import { type CallFailure, failed } from '../../platform/outbound/failure.ts';
import { messageOf, parseProductInfo } from './parse.ts';

export const OUTBOUND_TIMEOUT_MS = 5000;
export const CHANNEL_MESSAGE_CHARS_MAX = 200;

export type ProductInfoCall = {
  apiUrl: string;
  apiKey: string;
  usercode: string;
  /** SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: allows private addresses. */
  allowPrivate: boolean;
  timeoutMs?: number | undefined;
  lookup?: LookupFunction | undefined;
};

export type ProductInfoAnswer = { kind: 'answered'; info: ProductInfo } | CallFailure;

export async function fetchProductInfo(call: ProductInfoCall): Promise<ProductInfoAnswer> {
  const checked = checkApiUrl(call.apiUrl);
  if (!checked.ok) return failed({ reason: 'bad_url', part: 'api_url', fault: checked.fault });
  if (!call.usercode.isWellFormed())
    return failed({ reason: 'bad_url', part: 'usercode', fault: { kind: 'not_storable' } });
  const url = productInfoUrl(checked.url, call.usercode);

  if (!call.allowPrivate && isRefusedHost(bareHost(url))) {
    return failed({ reason: 'address_not_allowed', host: url.host, address: null });
  }
  const response = await exchange({
    url,
    headers: {
      'X-API-KEY': keyHeader(call.apiKey),
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'sluice',
    },
    lookup: guardedLookup(call.lookup ?? dnsLookup, call.allowPrivate),
    timeoutMs: call.timeoutMs ?? OUTBOUND_TIMEOUT_MS,
  });
  if (response.kind === 'failed') return response;
  const show: Show = (text) => shortened(text, secretsOf(call.apiKey, checked.url));
  return response.status === 200
    ? withoutKey(url.host, call.apiKey, readAnswer(url.host, call.usercode, response.body, show))
    : describeStatus(url.host, response.status, response.body, show);
}

/** Names and codes are stored and shown to everyone who may see products, so they must not contain the key. */
const withoutKey = (host: string, apiKey: string, answer: ProductInfoAnswer): ProductInfoAnswer =>
  answer.kind === 'answered' &&
  apiKey.length >= SECRET_CHARS_MIN &&
  containsSecret(JSON.stringify(answer.info), apiKey)
    ? failed({ reason: 'wrong_shape', host, field: null, fault: { kind: 'repeats_key' } })
    : answer;

function readAnswer(host: string, usercode: string, body: Buffer, show: Show): ProductInfoAnswer {
  const json = parseJson(body);
  if (!json.ok) return failed({ reason: 'not_json', host, cause: 'body' });
  const parsed = parseProductInfo(json.value);
  if (parsed.kind === 'found') return { kind: 'answered', info: parsed.info };
  if (parsed.kind === 'wrong_shape') {
    const { field, fault } = parsed;
    return failed({ reason: 'wrong_shape', host, field, fault });
  }
  return failed({ reason: 'not_found', host, usercode, said: show(messageOf(json.value)) });
}

function describeStatus(host: string, status: number, body: Buffer, show: Show): CallFailure {
  if (status >= 300 && status < 400) return failed({ reason: 'redirect', host, status });
  const json = parseJson(body);
  const message = json.ok ? messageOf(json.value) : undefined;
  return failed({ reason: 'http_status', host, status, said: show(message) });
}

function parseJson(body: Buffer): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return { ok: false };
  }
}

/** Masks and shortens a message of the channel; null: none. */
type Show = (text: string | undefined) => string | null;

// A channel may echo what it was sent, and the message is shown and logged.
function shortened(text: string | undefined, secrets: string[]): string | null {
  const printable = maskSecrets(text ?? '', secrets)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const short = Array.from(printable).slice(0, CHANNEL_MESSAGE_CHARS_MAX).join('');
  return short === '' ? null : short;
}

const secretsOf = (apiKey: string, apiUrl: URL): string[] => [
  ...(apiKey.length >= SECRET_CHARS_MIN ? [apiKey] : []),
  ...queryValues(apiUrl),
];
