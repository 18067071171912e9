import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CODE_SEARCH_CHARACTERS_MAX } from '../../../src/domain/text-limits.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { useUrlState } from './use-url-state.ts';

const PAUSE_MS = 250;

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'name'> {
  label: string;
  /** The name in the address; `search` when not said. */
  name?: string;
  /** The label stands above, rather than inside as the placeholder. */
  isLabelled?: boolean;
  /** Enter was pressed; a scanner does so behind every barcode. */
  onEnter?: (text: string) => void;
}

/** A search bound to the address: written there when the typing pauses. Read it with `useUrlState({ search: '' })`. */
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
    // The address changed by itself (a link, "reset filters"): follow it.
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
        // Enter also ends a Korean syllable that is being typed.
        if (event.key === 'Enter' && !event.nativeEvent.isComposing)
          onEnter?.(event.currentTarget.value.trim());
      }}
      {...props}
    />
  );
}
