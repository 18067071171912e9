// For which roles two-step sign-in is required.
import { Checkbox, Group, Stack } from '@mantine/core';
import { useGet, useSend } from '../../api/query.ts';
import { get, put } from '../../api/request.ts';
import type { Role } from '../../api/types.ts';
import { Reading, ROLES, Section, useRoleName } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

export function FactorRule() {
  const w = useWords(words);
  const roleName = useRoleName();
  const query = useGet('/second-factor-rule');
  const save = useSend(
    async ({ role, isRequired }: { role: Role; isRequired: boolean }) => {
      // The rule is stored as a whole: another user may have changed the other roles meanwhile.
      const { roles } = await get('/second-factor-rule');
      const others = roles.filter((one) => one !== role);
      return put('/second-factor-rule', { roles: isRequired ? [...others, role] : others });
    },
    { refresh: ['/second-factor-rule'], done: w.ruleSaved },
  );
  return (
    <Section id="factor-rule" title={w.ruleTitle} text={w.ruleText} mt="lg">
      <Reading query={query} lines={1}>
        {({ roles }) => (
          <Stack gap="xs">
            <Group>
              {ROLES.map((role) => (
                <Checkbox
                  key={role}
                  label={roleName(role)}
                  checked={roles.includes(role)}
                  disabled={save.isPending}
                  onChange={(event) => save.mutate({ role, isRequired: event.currentTarget.checked })}
                />
              ))}
            </Group>
          </Stack>
        )}
      </Reading>
    </Section>
  );
}
