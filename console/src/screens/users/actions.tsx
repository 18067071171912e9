import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, KeyRound, Pencil, ShieldOff, UserCheck, UserX } from 'lucide-react';
import type { User } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface UserActionsProps {
  user: User;
  onEdit: () => void;
  onReset: () => void;
  onResetFactor: () => void;
  onSwitch: () => void;
}

export function UserActions({ user, onEdit, onReset, onResetFactor, onSwitch }: UserActionsProps) {
  const w = useWords(words);
  const Switch = user.is_active ? UserX : UserCheck;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={w.actionsOf(user.email)}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Pencil size={15} aria-hidden />} onClick={onEdit}>
          {w.edit}
        </Menu.Item>
        <Menu.Item leftSection={<KeyRound size={15} aria-hidden />} onClick={onReset}>
          {w.reset}
        </Menu.Item>
        {user.has_second_factor && (
          <Menu.Item leftSection={<ShieldOff size={15} aria-hidden />} onClick={onResetFactor}>
            {w.resetFactor}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<Switch size={15} aria-hidden />}
          {...(user.is_active ? { c: 'var(--bad)' } : {})}
          onClick={onSwitch}
        >
          {user.is_active ? w.deactivate : w.activate}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
