import { useAll } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { matches } from '../../i18n/matches.ts';
import { FOUND_MAX, type Finder, type Found, type Typed } from '../../screen.ts';

/** The channels are few: they are searched in the browser, without a pause. */
function useFound({ text }: Typed): Found {
  const channels = useAll('/channels').data ?? [];
  const found = text === '' ? [] : channels.filter(({ name }) => matches(name, text));
  return {
    hits: found
      .slice(0, FOUND_MAX)
      .map(({ id, name }) => ({ key: `channel ${id}`, label: name, to: path`/channels/${id}` })),
    isSearching: false,
  };
}

export const finder: Finder = { order: 10, group: { en: 'Channels', ko: '채널' }, useFound };
