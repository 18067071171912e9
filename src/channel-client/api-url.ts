// The channel's address: what may be saved, and the URL that is called.

import { isRefusedHost } from './address.ts';

export const API_URL_CHARS_MAX = 2000;

/** Stands for what is not shown of an address. */
const HIDDEN = '…';

type ApiUrlCheck = { ok: true; url: URL } | { ok: false; message: string };

/** For saving a channel and again before each call. The messages never repeat the address: it can carry secrets. */
export function checkApiUrl(text: string): ApiUrlCheck {
  if (Array.from(text).length > API_URL_CHARS_MAX) {
    return { ok: false, message: `must be at most ${API_URL_CHARS_MAX} characters` };
  }
  // Whoever may not see all of an address gets it with this in it, and must not save it like that.
  if (text.includes(HIDDEN)) {
    return { ok: false, message: `must not contain "${HIDDEN}", which stands for a part that was hidden` };
  }
  // The URL parser drops line breaks and blanks silently; what is called should be what was read.
  if (/[\s\p{C}]/u.test(text)) {
    return { ok: false, message: 'must not contain blanks or control characters' };
  }
  if (!/^https?:\/\//iu.test(text)) {
    return { ok: false, message: 'must begin with http:// or https://' };
  }
  const url = URL.parse(text);
  if (url === null) return { ok: false, message: 'is not a valid address' };
  if (url.username !== '' || url.password !== '') {
    return { ok: false, message: 'must not contain a user name or password' };
  }
  return { ok: true, url };
}

/**
 * The address with `usercode` in its query. The rest of the query stays as it was written, character for character:
 * setting it through `searchParams` would re-encode the channel's own parameters.
 */
export function productInfoUrl(apiUrl: URL, usercode: string): URL {
  const kept = apiUrl.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !new URLSearchParams(part).has('usercode'));
  const url = new URL(apiUrl);
  // %20 for a blank and not +, since both ways of decoding a query understand it.
  url.search = [...kept, `usercode=${encodeURIComponent(usercode)}`].join('&');
  return url;
}

/** Without what may be a secret: user name and password, query and fragment. */
export const maskedApiUrl = (text: string): string =>
  text.replace(/^([a-z]+:\/\/)[^/?#]*@/iu, `$1${HIDDEN}@`).replace(/([?#]).*$/su, `$1${HIDDEN}`);

/** `plain`: the key goes out unencrypted; `plain_private`: the same, but not further than the own network. */
export type Transport = 'none' | 'encrypted' | 'plain' | 'plain_private';

export function transportOf(apiUrl: string | null, allowPrivate: boolean): Transport {
  const url = apiUrl === null ? null : URL.parse(apiUrl);
  if (url === null) return 'none';
  if (url.protocol === 'https:') return 'encrypted';
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const isPrivate = /(?:^|\.)localhost$/u.test(host) || isRefusedHost(host);
  return isPrivate && allowPrivate ? 'plain_private' : 'plain';
}
