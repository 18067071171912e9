import { Button, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { lazily } from '../lazy.ts';
import { words } from './palette-words.ts';

const Palette = lazily(() => import('./palette.tsx'));

/** Opens the palette by Ctrl-K or a click. The palette is loaded on first use. */
export function PaletteButton() {
  const w = useWords(words);
  const [asked, setAsked] = useState(0);
  const ask = () => setAsked((times) => times + 1);
  useHotkeys([['mod+K', ask]], []);
  return (
    <>
      <Button
        variant="default"
        className="palette-button"
        size="compact-md"
        aria-label={w.title}
        aria-keyshortcuts="Control+K Meta+K"
        leftSection={<Search size={16} aria-hidden />}
        onClick={ask}
      >
        <Text span size="sm" visibleFrom="sm">
          {w.short}
        </Text>
      </Button>
      {asked > 0 && (
        <Suspense fallback={null}>
          <Palette asked={asked} />
        </Suspense>
      )}
    </>
  );
}
