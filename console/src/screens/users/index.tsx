import { Badge, Group } from '@mantine/core';
import { useState } from 'react';
import { useList, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { patch, post } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import type { User, UserWithPassword } from '../../api/types.ts';
import {
  ActiveBadge,
  AddButton,
  confirm,
  DataTable,
  Page,
  SecretDialog,
  Time,
  useRoleName,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { UserActions } from './actions.tsx';
import { inWords, UserDialog } from './dialog.tsx';
import { FactorRule } from './factor-rule.tsx';
import { words } from './words.ts';

export default function Users() {
  const w = useWords(words);
  const c = useWords(common);
  const roleName = useRoleName();
  const me = useSession()?.user?.id;
  const users = useList('/users');
  const [edited, setEdited] = useState<User | 'new' | null>(null);
  const [made, setMade] = useState<UserWithPassword | null>(null);
  const { askAndReset, askAndResetFactor, askAndSwitch } = useUserChanges(setMade);
  const columns: Column<User>[] = [
    {
      key: 'email',
      header: c.email,
      primary: true,
      cell: ({ id, email }) => (
        <Group gap="xs">
          <span>{email}</span>
          {id === me && <Badge color="gray">{w.you}</Badge>}
        </Group>
      ),
    },
    { key: 'name', header: c.name, cell: ({ name }) => name },
    { key: 'role', header: c.role, cell: ({ role }) => roleName(role) },
    {
      key: 'state',
      header: c.state,
      cell: (user) => (
        <Group gap={6}>
          <ActiveBadge isActive={user.is_active} />
          {user.must_change_password && <Badge color="yellow">{w.mustChange}</Badge>}
          {user.has_second_factor && <Badge color="water">{w.twoStep}</Badge>}
          {!user.has_password && <Badge color="water">{w.singleSignOn}</Badge>}
        </Group>
      ),
    },
    { key: 'last', header: w.lastSignIn, cell: (user) => <Time at={user.last_sign_in_at} relative /> },
    {
      key: 'actions',
      header: w.edit,
      quiet: true,
      align: 'right',
      width: 60,
      cell: (user) => (
        <UserActions
          user={user}
          onEdit={() => setEdited(user)}
          onReset={() => void askAndReset(user)}
          onResetFactor={() => void askAndResetFactor(user)}
          onSwitch={() => void askAndSwitch(user)}
        />
      ),
    },
  ];
  return (
    <Page
      title={w.title}
      description={w.description}
      actions={<AddButton label={w.add} onClick={() => setEdited('new')} />}
    >
      <DataTable label={w.title} columns={columns} rowKey={({ id }) => id} list={users} />
      <FactorRule />
      {edited !== null && (
        <UserDialog
          user={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onMade={setMade}
        />
      )}
      {made !== null && (
        <SecretDialog
          title={w.passwordTitle(made.email)}
          text={w.passwordText}
          label={w.oneTime}
          value={made.password}
          done={c.done}
          onClose={() => setMade(null)}
        />
      )}
    </Page>
  );
}

/** Changes that are confirmed first. `onMade`: a password was reset. */
function useUserChanges(onMade: (user: UserWithPassword) => void) {
  const w = useWords(words);
  const change = useSend(
    ({ id, is_active }: User) => inWords(w, patch(apiPath('/users/{id}', { id }), { is_active: !is_active })),
    { refresh: ['/users'], done: ({ email }) => w.saved(email) },
  );
  const reset = useSend(({ id }: User) => post(apiPath('/users/{id}/reset-password', { id })), {
    refresh: ['/users'],
    onDone: onMade,
  });
  const resetFactor = useSend(({ id }: User) => post(apiPath('/users/{id}/reset-second-factor', { id })), {
    refresh: ['/users'],
    done: ({ email }) => w.factorReset(email),
  });
  const askAndResetFactor = async (user: User) => {
    const question = {
      title: w.resetFactor,
      text: w.resetFactorText(user.email),
      confirm: w.resetFactor,
      danger: true,
    };
    if (await confirm(question)) resetFactor.mutate(user);
  };
  const askAndReset = async (user: User) => {
    const question = { title: w.resetTitle, text: w.resetText(user.email), confirm: w.reset, danger: true };
    if (await confirm(question)) reset.mutate(user);
  };
  const askAndSwitch = async (user: User) => {
    const question = {
      title: w.deactivateTitle,
      text: w.deactivateText(user.email),
      confirm: w.deactivate,
      danger: true,
    };
    if (!user.is_active || (await confirm(question))) change.mutate(user);
  };
  return { askAndReset, askAndResetFactor, askAndSwitch };
}
