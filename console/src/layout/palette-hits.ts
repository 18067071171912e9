// Search results of the palette: the menu and the actions and finders of the screens. Menu and actions are searched in the
// browser.
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { searchedTexts } from '../../../src/core/orders/search-rules.ts';
import { can, useSession } from '../api/session.ts';
import { setLanguage, useLanguage } from '../i18n/language.ts';
import { matches } from '../i18n/matches.ts';
import { useWords } from '../i18n/words.ts';
import type { Hit } from '../screen.ts';
import * as screens from '../screens/index.ts';
import { GROUPS, useMenu } from './navigation.tsx';
import { words } from './palette-words.ts';

const PAUSE_MS = 200;

const ACTIONS = Object.values(screens)
  .flatMap(({ actions }) => actions ?? [])
  .toSorted((a, b) => a.order - b.order);
const FINDERS = Object.values(screens)
  .flatMap(({ finder }) => finder ?? [])
  .toSorted((a, b) => a.order - b.order);

interface Choice extends Omit<Hit, 'to'> {
  /** Other words for it. */
  also?: string;
  run: () => void;
}

export interface HitGroup {
  group: string;
  hits: Choice[];
}

export function useHits(typed: string): { groups: HitGroup[]; isSearching: boolean } {
  const text = typed.trim();
  const known = useKnown(text);
  const found = useFound(text);
  const groups = [...known, ...found.groups].filter(({ hits }) => hits.length > 0);
  // Exact matches come first, even if orders also contain the text.
  const isExact = ({ hits }: HitGroup) =>
    hits.some(({ label }) => label.toLowerCase() === text.toLowerCase());
  return {
    groups: [...groups.filter(isExact), ...groups.filter((group) => !isExact(group))],
    isSearching: found.isSearching,
  };
}

function useKnown(text: string): HitGroup[] {
  const w = useWords(words);
  const menu = useMenu();
  const choice = useChoice();
  const actions = useActions();
  return [
    {
      group: w.screens,
      hits: GROUPS.flatMap(menu)
        .filter(({ label }) => matches(label, text))
        .map(({ to, label }) => choice({ key: `screen ${to}`, label, to })),
    },
    {
      group: w.actions,
      hits: actions.filter(({ label, also = '' }) => matches(label, text) || matches(also, text)),
    },
  ];
}

function useChoice(): (hit: Hit) => Choice {
  const navigate = useNavigate();
  return ({ to, ...hit }) => ({ ...hit, run: () => void navigate(to) });
}

/** The main actions that the user may perform. */
function useActions(): Choice[] {
  const w = useWords(words);
  const choice = useChoice();
  const session = useSession();
  const lang = useLanguage();
  return [
    ...ACTIONS.filter(({ needs }) => needs === undefined || can(session, needs)).map(
      ({ to, label, also }) => ({
        ...choice({ key: `action ${to}`, label: label[lang], to }),
        also: also?.[lang] ?? '',
      }),
    ),
    { key: 'action language', label: w.language, run: () => setLanguage(lang === 'en' ? 'ko' : 'en') },
  ];
}

function useFound(text: string): { groups: HitGroup[]; isSearching: boolean } {
  const lang = useLanguage();
  const choice = useChoice();
  const [paused] = useDebouncedValue(text, PAUSE_MS);
  const search = searchedTexts(paused) === null ? null : paused;
  const found = FINDERS.map((finder) => ({
    group: finder.group[lang],
    // oxlint-disable-next-line react/hooks -- hooks in a loop, but always the same ones
    ...finder.useFound({ text, search }),
  }));
  return {
    isSearching:
      searchedTexts(text) !== null && (text !== paused || found.some(({ isSearching }) => isSearching)),
    groups: found.map(({ group, hits }) => ({ group, hits: hits.map(choice) })),
  };
}
