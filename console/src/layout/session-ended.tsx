import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { leave, useSessionState } from '../api/session.ts';
import { useWords } from '../i18n/words.ts';
import { SignInFields, useSignIn } from './sign-in-fields.tsx';
import { words } from './words.ts';

/** The sign-in dialog over the unchanged page: requests that got a 401 wait for it. */
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
  const signIn = useSignIn(email);
  const { form, enter } = signIn;
  return (
    <form onSubmit={form.submit((values) => enter.mutate(values))} noValidate>
      <Stack gap="sm">
        <Text size="sm">{w.endedText}</Text>
        <SignInFields {...signIn} />
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
