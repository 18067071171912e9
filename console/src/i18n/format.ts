import { useSession } from '../api/session.ts';
import { makeFormat, type Format, type Language } from './intl.ts';
import { useLanguage } from './language.ts';

const ZONE_DEFAULT = 'Asia/Seoul';

/** Formatters for the language of the page and the time zone of the service. */
export function useFormat(): Format {
  const lang = useLanguage();
  const zone = useSession()?.timezone ?? ZONE_DEFAULT;
  return formatOf(lang, zone);
}

// Cached: a table has thousands of numbers, and a formatter is more expensive to create than to use.
const formats = new Map<string, Format>();

function formatOf(lang: Language, zone: string): Format {
  const key = `${lang} ${zone}`;
  const known = formats.get(key) ?? makeFormat(lang, zone);
  formats.set(key, known);
  return known;
}
