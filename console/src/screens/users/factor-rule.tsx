// For which roles two-step sign-in is required.
import { Checkbox, Group, Stack } from '@mantine/core';
import { useGet, useSend } from '../../api/query.ts';
import { put } from '../../api/request.ts';
import type { Role } from '../../api/types.ts';
import { Reading, ROLES, Section, useRoleName } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

export function FactorRule() {
  const w = useWords(words);
  const roleName = useRoleName();
  const query = useGet('/second-factor-rule');
  const save = useSend((roles: Role[]) => put('/second-factor-rule', { roles }), {
    refresh: ['/second-factor-rule'],
    done: w.ruleSaved,
  });
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
                  onChange={(event) =>
                    save.mutate(
                      event.currentTarget.checked ? [...roles, role] : roles.filter((one) => one !== role),
                    )
                  }
                />
              ))}
            </Group>
          </Stack>
        )}
      </Reading>
    </Section>
  );
}
