import { Button, Menu, Text } from '@mantine/core';
import { ChevronDown, LogOut, MonitorOff, UserRound } from 'lucide-react';
import { useNavigate } from 'react-router';
import { messageOf } from '../api/error.ts';
import { useSession } from '../api/session.ts';
import { signOut } from '../api/sign-in.ts';
import { confirm } from '../components/confirm.tsx';
import { toastBad } from '../components/toast.tsx';
import { mayLeave } from '../components/unsaved.tsx';
import { useRoleName } from '../components/values.tsx';
import { useWords } from '../i18n/words.ts';
import { useMenu } from './navigation.tsx';
import { words } from './words.ts';

export function AccountMenu() {
  const w = useWords(words);
  const roleName = useRoleName();
  const session = useSession();
  const navigate = useNavigate();
  const menu = useMenu();
  if (session === null) return null;

  const goOut = async (everywhere: boolean) => {
    if (!(await mayLeave())) return;
    const question = {
      title: w.signOutEverywhere,
      text: w.signOutEverywhereText,
      confirm: w.signOutEverywhere,
    };
    if (everywhere && !(await confirm(question))) return;
    try {
      await signOut(everywhere);
      await navigate('/sign-in');
    } catch (error) {
      toastBad(messageOf(error));
    }
  };
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          aria-label={w.account(session.name)}
          leftSection={<UserRound size={17} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden className="mantine-visible-from-sm" />}
        >
          <Text span visibleFrom="sm" size="sm" fw={500} maw={200} truncate>
            {session.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.user?.email ?? session.name} · {roleName(session.role)}
        </Menu.Label>
        {menu('account').map(({ to, icon: Icon, label }) => (
          <Menu.Item key={to} leftSection={<Icon size={15} aria-hidden />} onClick={() => void navigate(to)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => void goOut(false)}>
          {w.signOut}
        </Menu.Item>
        <Menu.Item leftSection={<MonitorOff size={15} aria-hidden />} onClick={() => void goOut(true)}>
          {w.signOutEverywhere}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
