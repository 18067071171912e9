import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

/** Mantine's PasswordInput; the show/hide button has its label in the language of the page. */
export function PasswordField(props: PasswordInputProps) {
  const w = useWords(common);
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': w.showPassword }} {...props} />;
}
