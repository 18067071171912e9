import { Checkbox, Select, TextInput } from '@mantine/core';
import { NAME_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { ApiError, codeOf } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { patch, post } from '../../api/request.ts';
import type { Role, User, UserWithPassword } from '../../api/types.ts';
import { Problem, ROLES, useForm, useRoleName, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface UserForm {
  email: string;
  name: string;
  role: Role;
  second_factor_required: boolean;
}

interface Typed {
  values: UserForm;
  changed: Partial<UserForm>;
}

interface UserDialogProps {
  /** null: a new user. */
  user: User | null;
  onClose: () => void;
  onMade: (user: UserWithPassword) => void;
}

/** Translates the two common refusals, and puts the second one at its field. */
export async function inWords<T>(w: { lastAdmin: string; taken: string }, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === 'last_admin') throw new ApiError(409, w.lastAdmin);
    if (codeOf(error) === 'email_taken') throw new ApiError(409, w.taken, { errors: { email: [w.taken] } });
    throw error;
  }
}

export function UserDialog({ user, onClose, onMade }: UserDialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const roleName = useRoleName();
  const save = useSend(
    ({ values: { email, name, role }, changed: { email: _email, ...changes } }: Typed) =>
      inWords<User | UserWithPassword>(
        w,
        user === null
          ? post('/users', { email: email.trim(), role, ...(name.trim() === '' ? {} : { name }) })
          : patch(apiPath('/users/{id}', { id: user.id }), changes),
      ),
    {
      refresh: ['/users'],
      failure: 'inline',
      done: ({ email }) => w.saved(email),
      onDone: (saved) => {
        onClose();
        if ('password' in saved) onMade(saved);
      },
    },
  );
  const form = useForm<UserForm>(
    {
      email: user?.email ?? '',
      name: user?.name ?? '',
      role: user?.role ?? 'viewer',
      second_factor_required: user?.second_factor_required ?? false,
    },
    {
      error: save.error,
      check: ({ email }) => (email.trim() === '' ? { email: c.required } : {}),
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={user === null ? w.add : w.editOf(user.email)}
      onSubmit={form.submit((values, changed) => save.mutate({ values, changed }))}
      submit={user === null ? w.add : c.save}
      isSending={save.isPending}
    >
      <TextInput
        label={c.email}
        type="email"
        readOnly={user !== null}
        autoComplete="off"
        data-autofocus={user === null ? true : undefined}
        {...form.text('email')}
      />
      <TextInput
        label={`${c.name} (${c.optional})`}
        maxLength={NAME_CHARACTERS_MAX}
        autoComplete="off"
        data-autofocus={user === null ? undefined : true}
        {...form.text('name')}
      />
      <Select
        label={c.role}
        {...(user === null ? {} : { description: w.roleHint })}
        data={ROLES.map((role) => ({ value: role, label: roleName(role) }))}
        {...form.choice('role')}
      />
      {user !== null && <Checkbox label={w.requireFactor} {...form.flag('second_factor_required')} />}
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
