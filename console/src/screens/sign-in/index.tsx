import { Button, Stack, Text } from '@mantine/core';
import { Navigate, useSearchParams } from 'react-router';
import { useSessionState } from '../../api/session.ts';
import { useWords } from '../../i18n/words.ts';
import { Gate } from '../../layout/gate.tsx';
import { WithSession } from '../../layout/guards.tsx';
import { ownPath } from '../../layout/own-path.ts';
import { SignInFields, useSignIn } from '../../layout/sign-in-fields.tsx';
import { ProviderButton } from './provider-button.tsx';
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
  const [params] = useSearchParams();
  const { kind } = useSessionState();
  const signIn = useSignIn();
  const { form, enter } = signIn;
  if (kind === 'in') return <Navigate replace to={ownPath(params.get('to'))} />;

  return (
    <Gate title={w.title} text={w.text}>
      <form onSubmit={form.submit((values) => enter.mutate(values))} noValidate>
        <Stack gap="sm">
          <SignInFields {...signIn} />
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
