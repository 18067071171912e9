import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { leave, useSessionState } from '../api/session.ts';
import { isCodeAsked, signIn } from '../api/sign-in.ts';
import { useSend } from '../api/query.ts';
import { PasswordField } from '../components/password-field.tsx';
import { Problem } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { useWords } from '../i18n/words.ts';
import { useAsksCode } from './asks-code.ts';
import { words } from './words.ts';

/** Over the page, which stays as it is: the requests that met the end of the session wait for this. */
export function SessionEnded() {
  const w = useWords(words);
  const state = useSessionState();
  const email = state.kind === 'ended' ? (state.session.user?.email ?? '') : '';
  return (
    <Modal
      opened={state.kind === 'ended'}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      title={w.endedTitle}
      zIndex={400}
    >
      <SignInAgain email={email} />
    </Modal>
  );
}

function SignInAgain({ email }: { email: string }) {
  const w = useWords(words);
  const enter = useSend(
    ({ password, code }: { password: string; code: string }) => signIn(email, password, code.trim()),
    {
      failure: 'inline',
    },
  );
  const asksCode = useAsksCode(enter.error);
  const form = useForm({ password: '', code: '' }, { error: enter.error, guard: false });
  return (
    <form onSubmit={form.submit((values) => enter.mutate(values))} noValidate>
      <Stack gap="sm">
        <Text size="sm">{w.endedText}</Text>
        <TextInput label={w.email} value={email} readOnly autoComplete="username" />
        <PasswordField
          label={w.password}
          autoComplete="current-password"
          data-autofocus
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
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={leave}>
            {w.otherAccount}
          </Anchor>
          <Button type="submit" loading={enter.isPending}>
            {w.signIn}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
