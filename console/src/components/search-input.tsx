import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CODE_SEARCH_CHARACTERS_MAX } from '../../../src/platform/values/text-limits.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { useUrlState } from './use-url-state.ts';

const PAUSE_MS = 250;

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'name'> {
  label: string;
  /** Name of the URL parameter. Default: `search`. */
  name?: string;
  /** Show the label above the field instead of inside as the placeholder. */
  isLabelled?: boolean;
  /** Called on Enter. A scanner sends Enter after every barcode. */
  onEnter?: (text: string) => void;
}

/** A search field bound to the URL, which is updated when typing pauses. Read it with `useUrlState({ search: '' })`. */
export function SearchInput({
  name = 'search',
  label,
  isLabelled = false,
  onEnter,
  ...props
}: SearchInputProps) {
  const w = useWords(common);
  const [url, setUrl] = useUrlState({ [name]: '' });
  const value = url[name] ?? '';
  const [typed, setTyped] = useState(value);
  const written = useRef(value);

  useEffect(() => {
    // The URL was changed elsewhere (a link, "reset filters"): show its value.
    if (value !== written.current) {
      written.current = value;
      setTyped(value);
    }
  }, [value]);
  useEffect(() => {
    if (typed === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = typed;
      setUrl({ [name]: typed });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, name, setUrl]);

  return (
    <TextInput
      type="search"
      {...(isLabelled ? { label } : { 'aria-label': label, placeholder: label })}
      autoComplete="off"
      spellCheck={false}
      maxLength={CODE_SEARCH_CHARACTERS_MAX}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        typed !== '' && <CloseButton size="sm" aria-label={w.clear} onClick={() => setTyped('')} />
      }
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        // While a Korean syllable is being composed, Enter only completes it.
        if (event.key === 'Enter' && !event.nativeEvent.isComposing)
          onEnter?.(event.currentTarget.value.trim());
      }}
      {...props}
    />
  );
}
