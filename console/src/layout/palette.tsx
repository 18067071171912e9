// The command palette: every screen, the main actions, and orders, items, products, SKUs and channels by search.
import { VisuallyHidden } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useWords } from '../i18n/words.ts';
import { useHits } from './palette-hits.ts';
import { words } from './palette-words.ts';

const HEIGHT_PX_MAX = 440;
const [store, spotlight] = createSpotlight();

/** `asked` is incremented each time the palette should open. */
export default function Palette({ asked }: { asked: number }) {
  const w = useWords(words);
  const [typed, setTyped] = useState('');
  const { groups, isSearching } = useHits(typed);
  const hits = groups.flatMap((group) => group.hits);
  const status = useRef<HTMLDivElement>(null);
  const hasMoved = useRef(false);
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);

  // The library selects the first action when the text changes. Do the same for rows that arrive later, unless the user
  // has already moved the selection with the arrow keys.
  const keys = hits.map(({ key }) => key).join('\n');
  useEffect(() => {
    if (keys === '') return;
    if (!hasMoved.current) selectFirst();
    announce(status.current);
  }, [keys]);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
    hasMoved.current = true;
    queueMicrotask(() => announce(status.current)); // the library moves the selection after this handler
  };
  const type = (text: string) => {
    hasMoved.current = false;
    setTyped(text);
  };
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={type}
      shortcut={null}
      scrollable
      maxHeight={HEIGHT_PX_MAX}
      centered={false}
      closeOnClickOutside
      // Only the accessible name of the dialog; sighted users see the search field.
      title={w.title}
      classNames={{ header: 'palette-header' }}
    >
      <Spotlight.Search
        aria-label={w.title}
        placeholder={w.hint}
        leftSection={<Search size={18} aria-hidden />}
        onKeyDown={onKeyDown}
      />
      {/* The selection is shown only by colour: this tells screen readers which row Enter would open. */}
      <VisuallyHidden role="status" ref={status} />
      <Spotlight.ActionsList>
        {groups.map(({ group, hits: rows }) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {rows.map(({ key, label, text, run }) => (
              <Spotlight.Action
                key={key}
                label={label}
                {...(text === undefined ? {} : { description: text })}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {hits.length === 0 && <Spotlight.Empty>{isSearching ? w.searching : w.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
      <Spotlight.Footer className="palette-footer">{w.keys}</Spotlight.Footer>
    </Spotlight.Root>
  );
}

const listNow = (): HTMLElement | null => document.getElementById(store.getState().listId);

/** Reads the selection from the DOM: the library marks the selected row there without a render. */
function announce(status: HTMLElement | null): void {
  if (status) status.textContent = listNow()?.querySelector('[data-selected]')?.textContent ?? '';
}

function selectFirst(): void {
  const list = listNow();
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
  const first = list?.querySelector('[data-action]') ?? null;
  first?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: first === null ? -1 : 0 }));
}
