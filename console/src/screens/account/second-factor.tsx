// Two-step sign-in of the user's own account: on or off, and its recovery codes.
import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useGet, useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import { recall } from '../../api/sign-in.ts';
import {
  CopyButton,
  Dialog,
  DialogButtons,
  OnceDialog,
  PasswordField,
  Problem,
  Reading,
  useForm,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

const PATH = '/session/second-factor';

export function SecondFactor() {
  const w = useWords(words);
  const query = useGet(PATH);
  const [asking, setAsking] = useState<'codes' | 'off' | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Paper component="section" aria-labelledby="account-second-factor" mb="lg">
      <Group gap="xs" mb={4}>
        <Title order={2} id="account-second-factor">
          {w.twoStep}
        </Title>
        {query.data?.is_active === true && <Badge color="water">{w.on}</Badge>}
      </Group>
      <Reading query={query} lines={2}>
        {({ is_active, is_required, recovery_codes_left }) => (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {is_active ? w.onText(recovery_codes_left) : w.offText}
              {is_active && is_required ? ` ${w.required}` : ''}
            </Text>
            <Group gap="xs">
              {is_active ? (
                <>
                  <Button variant="default" onClick={() => setAsking('codes')}>
                    {w.newCodes}
                  </Button>
                  {!is_required && (
                    <Button variant="default" onClick={() => setAsking('off')}>
                      {w.turnOff}
                    </Button>
                  )}
                </>
              ) : (
                <Button
                  component={Link}
                  to="/second-factor"
                  variant="default"
                  leftSection={<ShieldCheck size={16} aria-hidden />}
                >
                  {w.setUp}
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </Reading>
      {asking !== null && <PasswordAsked what={asking} onCodes={setCodes} onClose={() => setAsking(null)} />}
      {codes !== null && (
        <OnceDialog title={w.newCodes} onClose={() => setCodes(null)}>
          <Stack>
            <Text size="sm">{w.codesText}</Text>
            <Code block>{codes.join('\n')}</Code>
            <Group justify="space-between">
              <CopyButton text={codes.join('\n')} label={w.copyCodes} compact={false} />
              <Button onClick={() => setCodes(null)}>{w.stored}</Button>
            </Group>
          </Stack>
        </OnceDialog>
      )}
    </Paper>
  );
}

interface AskedProps {
  what: 'codes' | 'off';
  onCodes: (codes: string[]) => void;
  onClose: () => void;
}

function PasswordAsked({ what, onCodes, onClose }: AskedProps) {
  const w = useWords(words);
  const c = useWords(common);
  const send = useSend(
    async (body: { current_password: string }) => {
      if (what === 'codes') return (await post(`${PATH}/recovery-codes`, body)).recovery_codes;
      await post(`${PATH}/remove`, body);
      await recall();
      return null;
    },
    {
      refresh: [PATH],
      failure: 'inline',
      done: (codes) => (codes === null ? w.turnedOff : w.codesMade),
      onDone: (codes) => {
        if (codes !== null) onCodes(codes);
        onClose();
      },
    },
  );
  const form = useForm(
    { current_password: '' },
    {
      error: send.error,
      guard: false,
      check: ({ current_password }) => (current_password === '' ? { current_password: c.required } : {}),
    },
  );
  return (
    <Dialog isDirty={false} onClose={onClose} title={what === 'codes' ? w.newCodes : w.turnOff}>
      <form onSubmit={form.submit((values) => send.mutate(values))} noValidate>
        <Stack gap="sm">
          <Text size="sm">{what === 'codes' ? w.newCodesText : w.turnOffText}</Text>
          <PasswordField
            label={w.currentPassword}
            autoComplete="current-password"
            data-autofocus
            {...form.text('current_password')}
          />
          <Problem error={send.error} except={form.names} />
          <DialogButtons
            submit={what === 'codes' ? w.newCodes : w.turnOff}
            isSending={send.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
