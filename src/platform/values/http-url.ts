// URLs that operators enter: checked before they are stored.
import type { FieldFaultAs } from './field-fault.ts';

export const HTTP_URL_CHARACTERS_MAX = 2000;

export type HttpUrlFault = FieldFaultAs<
  'too_long' | 'has_blanks' | 'not_http' | 'not_an_address' | 'has_credentials' | 'hidden_part'
>;
export type HttpUrlCheck = { ok: true; url: URL } | { ok: false; fault: HttpUrlFault };

/** The faults never repeat the URL, which may contain secrets. */
export function checkHttpUrl(text: string): HttpUrlCheck {
  const refused = (fault: HttpUrlFault): HttpUrlCheck => ({ ok: false, fault });
  if (Array.from(text).length > HTTP_URL_CHARACTERS_MAX)
    return refused({ kind: 'too_long', characters_max: HTTP_URL_CHARACTERS_MAX });
  // The URL parser silently drops line breaks and blanks; the URL that is used must be the one that was entered.
  if (/[\s\p{C}]/u.test(text)) return refused({ kind: 'has_blanks' });
  if (!/^https?:\/\//iu.test(text)) return refused({ kind: 'not_http' });
  const url = URL.parse(text);
  if (url === null) return refused({ kind: 'not_an_address' });
  if (url.username !== '' || url.password !== '') return refused({ kind: 'has_credentials' });
  return { ok: true, url };
}
