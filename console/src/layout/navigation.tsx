import type { LucideIcon } from 'lucide-react';
import { NavLink } from 'react-router';
import { can, useSession } from '../api/session.ts';
import type { Session } from '../api/types.ts';
import { useLanguage } from '../i18n/language.ts';
import { useWords } from '../i18n/words.ts';
import type { MenuEntry, MenuGroup } from '../screen.ts';
import * as screens from '../screens/index.ts';
import { words } from './words.ts';

const ENTRIES = Object.values(screens)
  .flatMap(({ menu }) => menu ?? [])
  .toSorted((a, b) => a.order - b.order);

/** The groups of the main menu. */
export const GROUPS = ['top', 'sell', 'goods', 'settings', 'people'] as const;

interface Item {
  to: string;
  icon: LucideIcon;
  label: string;
}

const isShownTo = (session: Session | null, { needs, isShown }: MenuEntry): boolean =>
  (needs === undefined || can(session, needs)) &&
  (isShown === undefined || (session !== null && isShown(session)));

/** `const menu = useMenu(); menu('sell')`: the entries that the user may open. */
export function useMenu(): (group: MenuGroup) => Item[] {
  const lang = useLanguage();
  const session = useSession();
  return (group) =>
    ENTRIES.filter((entry) => entry.group === group && isShownTo(session, entry)).map(
      ({ to, icon, label }) => ({ to, icon, label: label[lang] }),
    );
}

export function Navigation() {
  const w = useWords(words);
  const menu = useMenu();
  return GROUPS.map((group) => (
    <div key={group}>
      {group !== 'top' && <p className="nav-title">{w[group]}</p>}
      <ul className="nav-group">
        {menu(group).map(({ to, icon: Icon, label }) => (
          <li key={to}>
            <NavLink to={to} end={to === '/'} className="nav-link">
              <Icon size={17} strokeWidth={1.8} aria-hidden />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  ));
}

export function NavigationFoot() {
  const w = useWords(words);
  const session = useSession();
  if (session === null) return null;
  return (
    <div className="nav-foot">
      {w.zone(session.timezone)}
      <br />
      {w.version(session.version)}
    </div>
  );
}
