// The sessions of the user's account; for administrators those of all accounts.
import { ActionIcon, Badge, Group, Text, Title, Tooltip } from '@mantine/core';
import { LogOut } from 'lucide-react';
import { useNavigate } from 'react-router';
import { apiPath } from '../../api/address.ts';
import { useList, useSend } from '../../api/query.ts';
import { del } from '../../api/request.ts';
import { leave, useCan } from '../../api/session.ts';
import type { ListedSession } from '../../api/types.ts';
import { confirm, DataTable, Time, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { deviceName } from './device.ts';
import { words } from './words.ts';

export function Sessions() {
  const w = useWords(words);
  const c = useWords(common);
  const isAdmin = useCan('admin');
  const navigate = useNavigate();
  const sessions = useList('/sessions');
  const nameOf = ({ user_agent }: ListedSession): string => deviceName(user_agent) ?? w.unknownDevice;
  const end = useSend(({ id }: ListedSession) => del(apiPath('/sessions/{id}', { id })), {
    refresh: ['/sessions'],
    done: () => w.ended,
    onDone: (_, { is_current }) => {
      if (!is_current) return;
      leave();
      void navigate('/sign-in');
    },
  });
  const ask = async (session: ListedSession) => {
    const question = {
      title: w.endTitle(nameOf(session)),
      text: session.is_current ? w.endOwnText : w.endText(session.user.email),
      confirm: w.end,
      danger: true,
    };
    if (await confirm(question)) end.mutate(session);
  };
  const columns: Column<ListedSession>[] = [
    {
      key: 'device',
      header: w.device,
      primary: true,
      cell: (session) => (
        <Group gap="xs" wrap="nowrap">
          <Tooltip label={session.user_agent ?? w.unknownDevice} multiline maw={420}>
            <Text span size="sm" truncate maw={260}>
              {nameOf(session)}
            </Text>
          </Tooltip>
          {session.is_current && <Badge color="water">{w.current}</Badge>}
        </Group>
      ),
    },
    ...(isAdmin
      ? [
          {
            key: 'user',
            header: w.user,
            cell: ({ user }: ListedSession) => user.name ?? user.email,
          },
        ]
      : []),
    { key: 'address', header: c.address, cell: ({ address }) => address ?? '–' },
    { key: 'seen', header: w.lastSeen, cell: (session) => <Time at={session.last_seen_at} relative /> },
    { key: 'created', header: w.signedIn, cell: (session) => <Time at={session.created_at} /> },
    {
      key: 'actions',
      header: w.end,
      quiet: true,
      align: 'right',
      width: 60,
      cell: (session) => (
        <Tooltip label={w.endOf(nameOf(session))}>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={w.endOf(nameOf(session))}
            onClick={() => void ask(session)}
          >
            <LogOut size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
  return (
    <section aria-labelledby="account-sessions">
      <Title order={2} id="account-sessions" mb="xs">
        {w.sessions}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {isAdmin ? w.sessionsAll : w.sessionsOwn}
      </Text>
      <DataTable
        label={w.sessions}
        columns={columns}
        rowKey={({ id }) => id}
        list={sessions}
        empty={w.none}
      />
    </section>
  );
}
