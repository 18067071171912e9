import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { Role, TokenWithSecret } from '../../api/types.ts';
import { Problem, ROLES, Secret, useForm, useRoleName, DialogButtons } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface TokenForm {
  name: string;
  role: Role;
}

export function TokenDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (token: TokenWithSecret) => void;
}) {
  const w = useWords(words);
  const c = useWords(common);
  const roleName = useRoleName();
  const save = useSend(
    async (form: TokenForm) => {
      try {
        return await post<TokenWithSecret>('/tokens', form);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
        throw new ApiError(409, w.taken, { errors: { name: [w.taken] } });
      }
    },
    {
      refresh: ['/tokens'],
      failure: 'inline',
      onDone: (token) => {
        onClose();
        onMade(token);
      },
    },
  );
  const form = useForm<TokenForm>(
    { name: '', role: 'viewer' },
    { error: save.error, check: ({ name }) => (name.trim() === '' ? { name: c.required } : {}) },
  );
  const send = ({ name, role }: TokenForm) => save.mutate({ name: name.trim(), role });
  return (
    <Modal opened onClose={onClose} title={w.add} closeButtonProps={{ 'aria-label': c.close }}>
      <form onSubmit={form.submit(send)} noValidate>
        <Stack gap="sm">
          <TextInput
            label={w.name}
            description={w.nameHint}
            maxLength={100}
            autoComplete="off"
            data-autofocus
            {...form.text('name')}
          />
          <Select
            label={w.role}
            data={ROLES.map((role) => ({ value: role, label: roleName(role) }))}
            {...form.choice('role')}
          />
          <Problem error={save.error} except={form.names} />
          <DialogButtons submit={w.add} isSending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

export function SecretDialog({ token, onClose }: { token: TokenWithSecret; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={false}
      size="lg"
      title={w.madeTitle(token.name)}
      closeButtonProps={{ 'aria-label': c.close }}
    >
      <Text size="sm" mb="sm">
        {w.usage}
      </Text>
      <Secret label={w.token} value={token.token} />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>{w.done}</Button>
      </Group>
    </Modal>
  );
}
