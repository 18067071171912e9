import { ActionIcon, Button, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Languages, Moon, Sun } from 'lucide-react';
import { setLanguage, useLanguage } from '../i18n/language.ts';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

/** Switches to the other language, named in that language. */
export function LanguageSwitch() {
  const w = useWords(words);
  const other = useLanguage() === 'en' ? 'ko' : 'en';
  return (
    <Tooltip label={w.switchLanguage}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<Languages size={16} aria-hidden />}
        onClick={() => setLanguage(other)}
        lang={other}
      >
        {other === 'ko' ? '한국어' : 'English'}
      </Button>
    </Tooltip>
  );
}

export function SchemeSwitch() {
  const w = useWords(words);
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  const label = isDark ? w.light : w.dark;
  const Icon = isDark ? Sun : Moon;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
