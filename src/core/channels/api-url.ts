// The channel's `api_url`: validation, and the URL of the call.

import { checkHttpUrl, type HttpUrlCheck } from '../../platform/values/http-url.ts';
import { isRefusedHost } from '../../platform/outbound/address.ts';

/** Replaces hidden parts of a URL. */
const HIDDEN = '…';

/**
 * Checked when a channel is saved and again before each call. The faults never repeat the URL, which may contain
 * secrets.
 */
export function checkApiUrl(text: string): HttpUrlCheck {
  // Users who may not see the whole URL get this placeholder, and must not save it.
  if (text.includes(HIDDEN)) return { ok: false, fault: { kind: 'hidden_part' } };
  return checkHttpUrl(text);
}

/**
 * The URL with `usercode` in its query. The existing query is kept unchanged: `searchParams` would re-encode the
 * channel's own parameters.
 */
export function productInfoUrl(apiUrl: URL, usercode: string): URL {
  const kept = apiUrl.search
    .slice(1)
    .split('&')
    // Without this question mark, one that belongs to the name would be dropped.
    .filter((part) => part !== '' && !new URLSearchParams(`?${part}`).has('usercode'));
  const url = new URL(apiUrl);
  // encodeURIComponent writes a blank as %20 and not as +: both ways of decoding a query accept %20.
  url.search = `?${[...kept, `usercode=${encodeURIComponent(usercode)}`].join('&')}`;
  return url;
}

/** Without parts that may be secret: user name, password, query and fragment. */
export const maskedApiUrl = (text: string): string =>
  text.replace(/^([a-z]+:\/\/)[^/?#]*@/iu, `$1${HIDDEN}@`).replace(/([?#]).*$/su, `$1${HIDDEN}`);

/** Shorter values are not treated as secrets; masking every "1" would garble the text. */
export const SECRET_CHARS_MIN = 4;

/** The values of a URL's query, which may be secrets, decoded and as written. */
export const queryValues = (url: URL): string[] => {
  const written = url.search
    .slice(1)
    .split('&')
    .map((part) => part.slice(part.indexOf('=') + 1));
  return [...url.searchParams.values(), ...written].filter((value) => value.length >= SECRET_CHARS_MIN);
};

/** `plain`: the key is sent unencrypted; `plain_private`: unencrypted, within the private network. */
export type Transport = 'none' | 'encrypted' | 'plain' | 'plain_private';

export function transportOf(apiUrl: string | null, allowPrivate: boolean): Transport {
  const url = apiUrl === null ? null : URL.parse(apiUrl);
  if (url === null) return 'none';
  if (url.protocol === 'https:') return 'encrypted';
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const isPrivate = /(?:^|\.)localhost$/u.test(host) || isRefusedHost(host);
  return isPrivate && allowPrivate ? 'plain_private' : 'plain';
}
