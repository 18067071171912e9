import { useMemo } from 'react';
import { useSession } from '../api/session.ts';
import { makeFormat, type Format } from './intl.ts';
import { useLanguage } from './language.ts';

const ZONE_DEFAULT = 'Asia/Seoul';

/** Formatters for the language of the page and the zone of the service. */
export function useFormat(): Format {
  const lang = useLanguage();
  const zone = useSession()?.timezone ?? ZONE_DEFAULT;
  return useMemo(() => makeFormat(lang, zone), [lang, zone]);
}
