import { Select, TextInput } from '@mantine/core';
import { CODE_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { Role, TokenWithSecret } from '../../api/types.ts';
import { Problem, ROLES, useForm, useRoleName, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface TokenForm {
  name: string;
  role: Role;
  /** Validity in days; empty: until the token is revoked. */
  expires_in_days: string;
}

const DAYS = ['30', '90', '365'];

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
        const { expires_in_days: days, ...rest } = form;
        return await post('/tokens', {
          ...rest,
          expires_in_days: days === '' ? null : Number(days),
        });
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
    { name: '', role: 'viewer', expires_in_days: '' },
    { error: save.error, check: ({ name }) => (name.trim() === '' ? { name: c.required } : {}) },
  );
  const send = (values: TokenForm) => save.mutate({ ...values, name: values.name.trim() });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.add}
      onSubmit={form.submit(send)}
      submit={w.add}
      isSending={save.isPending}
    >
      <TextInput
        label={c.name}
        description={w.nameHint}
        maxLength={CODE_CHARACTERS_MAX}
        autoComplete="off"
        data-autofocus
        {...form.text('name')}
      />
      <Select
        label={c.role}
        data={ROLES.map((role) => ({ value: role, label: roleName(role) }))}
        {...form.choice('role')}
      />
      <Select
        label={w.lasts}
        allowDeselect={false}
        data={[
          { value: '', label: w.lastsForEver },
          ...DAYS.map((days) => ({ value: days, label: w.lastsOf(Number(days)) })),
        ]}
        {...form.choice('expires_in_days')}
      />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
