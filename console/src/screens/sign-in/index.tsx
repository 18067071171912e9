import { Button, Stack, Text, TextInput } from '@mantine/core';
import { Navigate, useSearchParams } from 'react-router';
import { useSend } from '../../api/query.ts';
import { useSessionState } from '../../api/session.ts';
import { isCodeAsked, signIn } from '../../api/sign-in.ts';
import { PasswordField, Problem, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Gate } from '../../layout/gate.tsx';
import { WithSession } from '../../layout/guards.tsx';
import { ownPath } from '../../layout/own-path.ts';
import { ProviderButton } from './provider-button.tsx';
import { useAsksCode } from '../../layout/asks-code.ts';
import { words } from './words.ts';

export default function SignIn() {
  return (
    <WithSession>
      <SignInForm />
    </WithSession>
  );
}

function SignInForm() {
  const w = useWords(words);
  const c = useWords(common);
  const [params] = useSearchParams();
  const { kind } = useSessionState();
  const enter = useSend(
    ({ email, password, code }: { email: string; password: string; code: string }) =>
      signIn(email.trim(), password, code.trim()),
    {
      failure: 'inline',
    },
  );
  const form = useForm(
    { email: '', password: '', code: '' },
    {
      error: enter.error,
      guard: false,
      check: ({ email, password }) => ({
        ...(email.trim() === '' ? { email: c.required } : {}),
        ...(password === '' ? { password: c.required } : {}),
      }),
    },
  );
  const asksCode = useAsksCode(enter.error);
  if (kind === 'in') return <Navigate replace to={ownPath(params.get('to'))} />;

  return (
    <Gate title={w.title} text={w.text}>
      <form onSubmit={form.submit((values) => enter.mutate(values))} noValidate>
        <Stack gap="sm">
          <TextInput
            label={w.email}
            type="email"
            autoComplete="username"
            autoFocus
            spellCheck={false}
            {...form.text('email')}
          />
          <PasswordField label={w.password} autoComplete="current-password" {...form.text('password')} />
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
          <Button type="submit" fullWidth mt="xs" loading={enter.isPending}>
            {w.submit}
          </Button>
          <ProviderButton refused={params.get('refused')} />
          <Text size="xs" c="dimmed">
            {w.hint}
          </Text>
        </Stack>
      </form>
    </Gate>
  );
}
