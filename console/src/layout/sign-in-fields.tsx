// The sign-in fields, used on the sign-in page and in the dialog over a page whose session has ended.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../api/query.ts';
import { isCodeAsked, signIn } from '../api/sign-in.ts';
import { PasswordField } from '../components/password-field.tsx';
import { Problem } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

/** `email`: the account whose session has ended; without it, the user enters the address. */
export function useSignIn(email = '') {
  const c = useWords(common);
  const enter = useSend(
    (typed: { email: string; password: string; code: string }) =>
      signIn(typed.email.trim(), typed.password, typed.code.trim()),
    { failure: 'inline' },
  );
  const form = useForm(
    { email, password: '', code: '' },
    {
      error: enter.error,
      guard: false,
      check: (values) => ({
        ...(values.email.trim() === '' ? { email: c.required } : {}),
        ...(values.password === '' ? { password: c.required } : {}),
      }),
    },
  );
  return { form, enter, isKnown: email !== '' };
}

export function SignInFields({ form, enter, isKnown }: ReturnType<typeof useSignIn>) {
  const w = useWords(words);
  const asksCode = useAsksCode(enter.error);
  return (
    <>
      <TextInput
        label={w.email}
        type="email"
        autoComplete="username"
        spellCheck={false}
        {...(isKnown ? { readOnly: true } : { autoFocus: true })}
        {...form.text('email')}
      />
      <PasswordField
        label={w.password}
        autoComplete="current-password"
        {...(isKnown ? { 'data-autofocus': true } : {})}
        {...form.text('password')}
      />
      {asksCode && (
        <TextInput
          label={w.code}
          description={w.codeHint}
          autoComplete="one-time-code"
          autoFocus
          {...form.text('code')}
        />
      )}
      <Problem error={isCodeAsked(enter.error) ? null : enter.error} except={form.names} />
    </>
  );
}

/** Once a code has been requested, the field stays, so that a wrong code can be corrected. */
function useAsksCode(error: unknown): boolean {
  const [asked, setAsked] = useState(false);
  const now = asked || isCodeAsked(error);
  if (now !== asked) setAsked(now);
  return now;
}
