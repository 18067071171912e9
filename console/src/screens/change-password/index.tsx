import { Anchor, Button, Stack } from '@mantine/core';
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router';
import {
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
} from '../../../../src/platform/values/text-limits.ts';
import { useSend } from '../../api/query.ts';
import { useSessionState } from '../../api/session.ts';
import { changePassword, signOut } from '../../api/sign-in.ts';
import { PasswordField, Problem, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Gate } from '../../layout/gate.tsx';
import { WithSession } from '../../layout/guards.tsx';
import { ownPath } from '../../layout/own-path.ts';
import { words } from './words.ts';

interface Passwords {
  current_password: string;
  new_password: string;
  again: string;
}

type FaultWords = Record<'required' | 'short' | 'long' | 'notEmail' | 'notCurrent' | 'different', string>;

/** Checks for what the service would refuse, with messages in the language of the page. */
function faultsOf(values: Passwords, email: string, w: FaultWords): Partial<Passwords> {
  const { current_password, new_password, again } = values;
  const fault = () => {
    const characters = Array.from(new_password).length;
    if (characters < PASSWORD_CHARACTERS_MIN) return w.short;
    if (characters > PASSWORD_CHARACTERS_MAX) return w.long;
    if (new_password.toLowerCase() === email.toLowerCase()) return w.notEmail;
    return new_password === current_password ? w.notCurrent : null;
  };
  const found = fault();
  return {
    ...(current_password === '' ? { current_password: w.required } : {}),
    ...(found === null ? {} : { new_password: found }),
    ...(again === new_password ? {} : { again: w.different }),
  };
}

/** Mandatory at the first sign-in; later opened from the account menu. */
export default function ChangePassword() {
  return (
    <WithSession>
      <PasswordForm />
    </WithSession>
  );
}

function PasswordForm() {
  const w = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const to = ownPath(params.get('to'));
  const state = useSessionState();
  const change = useSend((form: Passwords) => changePassword(form.current_password, form.new_password), {
    failure: 'inline',
    done: w.done,
    onDone: () => void navigate(to),
  });
  const out = useSend(() => signOut(false));
  const email = state.kind === 'in' ? (state.session.user?.email ?? '') : '';
  const form = useForm<Passwords>(
    { current_password: '', new_password: '', again: '' },
    {
      error: change.error,
      guard: false,
      check: (values) => faultsOf(values, email, { ...w, required: c.required }),
    },
  );
  if (state.kind === 'out' || state.kind === 'unknown') return <Navigate replace to="/sign-in" />;
  const isFirst = state.session.must_change_password;

  return (
    <Gate title={w.title} text={isFirst ? w.first : w.text}>
      <form onSubmit={form.submit((values) => change.mutate(values))} noValidate>
        <Stack gap="sm">
          {/* For password managers: the account of the password. */}
          <input
            type="hidden"
            name="username"
            autoComplete="username"
            value={state.session.user?.email ?? ''}
            readOnly
          />
          <PasswordField
            label={w.current}
            autoComplete="current-password"
            autoFocus
            {...form.text('current_password')}
          />
          <PasswordField
            label={w.fresh}
            description={w.hint}
            autoComplete="new-password"
            {...form.text('new_password')}
          />
          <PasswordField label={w.again} autoComplete="new-password" {...form.text('again')} />
          <Problem error={change.error} except={form.names} />
          <Button type="submit" fullWidth mt="xs" loading={change.isPending}>
            {w.submit}
          </Button>
          {isFirst ? (
            <Anchor component="button" type="button" size="sm" ta="center" onClick={() => out.mutate()}>
              {w.signOut}
            </Anchor>
          ) : (
            <Anchor component={Link} to="/" size="sm" ta="center">
              {w.back}
            </Anchor>
          )}
        </Stack>
      </form>
    </Gate>
  );
}
