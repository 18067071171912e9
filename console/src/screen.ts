// What the folder of a screen brings: its pages, its entry in a menu and its part of the palette. screens/index.ts lists all.
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { List } from './api/query.ts';
import type { Role, Session } from './api/types.ts';
import type { Language } from './i18n/intl.ts';

type Text = Readonly<Record<Language, string>>;

export interface Screen {
  pages: readonly ScreenPage[];
  menu?: MenuEntry;
  /** Main actions in the palette. The URL makes the screen open its dialog. */
  actions?: readonly Action[];
  finder?: Finder;
}

export interface ScreenPage {
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  /** Other users are told which role the page needs. */
  needs?: Role;
  /** Shown without header and menu, also to users who are not signed in. */
  isBare?: true;
}

/** `account` is the menu of the user, the others are groups of the main menu. */
export type MenuGroup = 'top' | 'sell' | 'goods' | 'settings' | 'people' | 'account';

export interface MenuEntry {
  group: MenuGroup;
  order: number;
  to: string;
  icon: LucideIcon;
  label: Text;
  /** Hidden from other users. */
  needs?: Role;
  isShown?: (session: Session) => boolean;
}

interface Action {
  /** Among the actions of all screens. */
  order: number;
  to: string;
  label: Text;
  /** Other words for it. */
  also?: Text;
  needs?: Role;
}

/** Finds what the user types into the palette. */
export interface Finder {
  /** Among the finders of all screens. */
  order: number;
  group: Text;
  useFound: (typed: Typed) => Found;
}

export interface Typed {
  text: string;
  /** The text to send to the service, once typing has paused; null: too short. */
  search: string | null;
}

export interface Found {
  hits: Hit[];
  isSearching: boolean;
}

export interface Hit {
  key: string;
  label: string;
  text?: string;
  to: string;
}

export const FOUND_MAX = 5;

/** What a finder found by the service. `search` is its own: the list still has the rows of the text before. */
export const foundIn = <R>(list: List<R>, { search }: Typed, hit: (row: R) => Hit): Found => ({
  hits: search === null ? [] : list.rows.slice(0, FOUND_MAX).map(hit),
  isSearching: list.isStale || list.isLoading,
});
