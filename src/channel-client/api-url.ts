// The channel's address: what may be saved, and the URL that is called.

export const API_URL_CHARS_MAX = 2000;

type ApiUrlCheck = { ok: true; url: URL } | { ok: false; message: string };

/** For saving a channel and again before each call. The messages never repeat the address: it can carry secrets. */
export function checkApiUrl(text: string): ApiUrlCheck {
  if (Array.from(text).length > API_URL_CHARS_MAX) {
    return { ok: false, message: `must be at most ${API_URL_CHARS_MAX} characters` };
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
