// Setting up two-step sign-in: password, QR code, first code, recovery codes. If it is required, the user cannot leave this
// screen without it.
import { Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router';
import { renderSVG } from 'uqr';
import { useSend } from '../../api/query.ts';
import { post, put } from '../../api/request.ts';
import { useSessionState } from '../../api/session.ts';
import { recall, signOut } from '../../api/sign-in.ts';
import { CopyButton, PasswordField, Problem, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Gate } from '../../layout/gate.tsx';
import { WithSession } from '../../layout/guards.tsx';
import { ownPath } from '../../layout/own-path.ts';
import { words } from './words.ts';

export default function SecondFactor() {
  return (
    <WithSession>
      <SetUp />
    </WithSession>
  );
}

function SetUp() {
  const w = useWords(words);
  const state = useSessionState();
  const [begun, setBegun] = useState<{ secret: string; uri: string } | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const out = useSend(() => signOut(false));
  if (state.kind === 'out' || state.kind === 'unknown') return <Navigate replace to="/sign-in" />;
  const isForced = state.session.must_set_up_second_factor;
  const text = codes !== null ? w.codesText : begun !== null ? w.scanText : isForced ? w.forced : w.text;
  return (
    <Gate title={codes === null ? w.title : w.codesTitle} text={text}>
      {codes !== null ? (
        <RecoveryCodes codes={codes} />
      ) : begun === null ? (
        <Confirm onBegun={setBegun} />
      ) : (
        <Scan begun={begun} onDone={setCodes} />
      )}
      {codes === null && (
        <Text ta="center" mt="sm">
          {isForced ? (
            <Anchor component="button" type="button" size="sm" onClick={() => out.mutate()}>
              {w.signOut}
            </Anchor>
          ) : (
            <Anchor component={Link} to="/account" size="sm">
              {w.back}
            </Anchor>
          )}
        </Text>
      )}
    </Gate>
  );
}

function Confirm({ onBegun }: { onBegun: (begun: { secret: string; uri: string }) => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const begin = useSend(
    ({ current_password }: { current_password: string }) =>
      post('/session/second-factor', { current_password }),
    { failure: 'inline', onDone: onBegun },
  );
  const form = useForm(
    { current_password: '' },
    {
      error: begin.error,
      guard: false,
      check: ({ current_password }) => (current_password === '' ? { current_password: c.required } : {}),
    },
  );
  return (
    <form onSubmit={form.submit((values) => begin.mutate(values))} noValidate>
      <Stack gap="sm">
        <PasswordField
          label={w.password}
          autoComplete="current-password"
          autoFocus
          {...form.text('current_password')}
        />
        <Problem error={begin.error} except={form.names} />
        <Button type="submit" fullWidth loading={begin.isPending}>
          {w.begin}
        </Button>
      </Stack>
    </form>
  );
}

interface ScanProps {
  begun: { secret: string; uri: string };
  onDone: (codes: string[]) => void;
}

function Scan({ begun, onDone }: ScanProps) {
  const w = useWords(words);
  const c = useWords(common);
  const confirm = useSend(({ code }: { code: string }) => put('/session/second-factor', { code }), {
    refresh: ['/session/second-factor'],
    failure: 'inline',
    onDone: ({ recovery_codes }) => onDone(recovery_codes),
  });
  const form = useForm({ code: '' }, { error: confirm.error, guard: false });
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(begun.uri, { border: 2 }))}`;
  return (
    <form onSubmit={form.submit((values) => confirm.mutate(values))} noValidate>
      <Stack gap="sm">
        <img src={picture} alt={w.qr} width={200} height={200} style={{ alignSelf: 'center' }} />
        <Group gap="xs" justify="center" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{begun.secret}</Code>
          <CopyButton text={begun.secret} label={w.copySecret} />
        </Group>
        <TextInput
          label={c.code}
          description={w.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          {...form.text('code')}
        />
        <Problem error={confirm.error} except={form.names} />
        <Button type="submit" fullWidth loading={confirm.isPending}>
          {w.confirm}
        </Button>
      </Stack>
    </form>
  );
}

/** The recovery codes are shown only once: the page stays until the user confirms that they are stored. */
function RecoveryCodes({ codes }: { codes: string[] }) {
  const w = useWords(words);
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const to = ownPath(params.get('to') ?? '/account');
  const text = codes.join('\n');
  const goOn = useSend(() => recall(), { onDone: () => void navigate(to) });
  return (
    <Stack gap="sm">
      <Code block>{text}</Code>
      <CopyButton text={text} label={w.copyCodes} compact={false} />
      <Button fullWidth loading={goOn.isPending} onClick={() => goOn.mutate()}>
        {w.stored}
      </Button>
    </Stack>
  );
}
