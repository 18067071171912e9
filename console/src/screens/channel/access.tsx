// Whether the channel's key is accepted, and which key that is. Only administrators change either.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { KeyRound, Power, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { patch, path, post } from '../../api/request.ts';
import type { Channel, ChannelWithKey } from '../../api/types.ts';
import { ActiveBadge, confirm } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { KeyDialog } from '../channels/key-dialog.tsx';
import { words } from './words.ts';

/** Asks, then switches. */
export function useSwitch(channel: Channel): { ask: () => void; isPending: boolean } {
  const w = useWords(words);
  const send = useSend((is_active: boolean) => patch<Channel>(path`/channels/${channel.id}`, { is_active }), {
    refresh: ['/channels', '/overview', '/exchange-rates'],
    done: ({ name, is_active }) => (is_active ? w.activated(name) : w.deactivated(name)),
  });
  const ask = async () => {
    const { name, is_active } = channel;
    const question = is_active
      ? { title: w.deactivateTitle(name), text: w.deactivateText, confirm: w.deactivate, danger: true }
      : { title: w.activateTitle(name), text: w.activateText, confirm: w.activate };
    if (await confirm(question)) send.mutate(!is_active);
  };
  return { ask: () => void ask(), isPending: send.isPending };
}

export function Access({ channel }: { channel: Channel }) {
  const w = useWords(words);
  const [made, setMade] = useState<ChannelWithKey | null>(null);
  const change = useSwitch(channel);
  const rotate = useSend(() => post<ChannelWithKey>(path`/channels/${channel.id}/rotate-key`), {
    onDone: setMade,
  });
  const askAndRotate = async () => {
    const question = {
      title: w.rotateTitle(channel.name),
      text: w.rotateText,
      confirm: w.rotate,
      danger: true,
    };
    if (await confirm(question)) rotate.mutate();
  };
  const { is_active } = channel;
  return (
    <Paper component="section" aria-labelledby="channel-access">
      <Title order={2} id="channel-access" mb="sm">
        {w.access}
      </Title>
      <Stack gap="md">
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <ActiveBadge isActive={is_active} />
            <Text size="sm">{is_active ? w.activeText : w.inactiveText}</Text>
          </Group>
          <Button
            variant="default"
            style={{ flex: 'none' }}
            loading={change.isPending}
            leftSection={is_active ? <PowerOff size={16} aria-hidden /> : <Power size={16} aria-hidden />}
            onClick={change.ask}
          >
            {is_active ? w.deactivate : w.activate}
          </Button>
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="dimmed">
            {w.rotateHint}
          </Text>
          <Button
            variant="default"
            style={{ flex: 'none' }}
            loading={rotate.isPending}
            leftSection={<KeyRound size={16} aria-hidden />}
            onClick={() => void askAndRotate()}
          >
            {w.rotate}
          </Button>
        </Group>
      </Stack>
      {made !== null && <KeyDialog channel={made} onClose={() => setMade(null)} />}
    </Paper>
  );
}
