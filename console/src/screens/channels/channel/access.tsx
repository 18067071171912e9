// Whether the channel is active, and its API key. Only administrators may change them.
import { Button, Group, Stack, Text } from '@mantine/core';
import { Archive, ArchiveRestore, Ban, KeyRound, Power, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { del, patch } from '../../../api/request.ts';
import type { Channel, ChannelWithKey } from '../../../api/types.ts';
import { ActiveBadge, confirm, Section, Time } from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { KeyDialog } from '../key-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { words } from './words.ts';

/** Activates or deactivates the channel, after a confirmation. */
export function useSwitch(channel: Channel): { ask: () => void; isPending: boolean } {
  const w = useWords(words);
  const send = useSend(
    (is_active: boolean) => patch(apiPath('/channels/{id}', { id: channel.id }), { is_active }),
    {
      refresh: ['/channels', '/overview', '/exchange-rates'],
      done: ({ name, is_active }) => (is_active ? w.activated(name) : w.deactivated(name)),
    },
  );
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
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<ChannelWithKey | null>(null);
  const change = useSwitch(channel);
  const { is_active } = channel;
  return (
    <Section id="channel-access" title={w.access}>
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
            disabled={channel.archived}
            leftSection={is_active ? <PowerOff size={16} aria-hidden /> : <Power size={16} aria-hidden />}
            onClick={change.ask}
          >
            {is_active ? w.deactivate : w.activate}
          </Button>
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <div>
            <Text size="sm">
              {w.keyLastUsed}: <Time at={channel.key_last_used_at} relative />
            </Text>
            <Text size="sm" c="dimmed">
              {w.rotateHint}
            </Text>
          </div>
          <Button
            variant="default"
            style={{ flex: 'none' }}
            leftSection={<KeyRound size={16} aria-hidden />}
            onClick={() => setAsking(true)}
          >
            {w.rotate}
          </Button>
        </Group>
        {channel.previous_key_valid_until !== null && (
          <PreviousKey channel={channel} until={channel.previous_key_valid_until} />
        )}
        <Retire channel={channel} />
      </Stack>
      {isAsking && (
        <RotateDialog
          channel={channel}
          onClose={() => setAsking(false)}
          onMade={(rotated) => {
            setAsking(false);
            setMade(rotated);
          }}
        />
      )}
      {made !== null && <KeyDialog channel={made} onClose={() => setMade(null)} />}
    </Section>
  );
}

/** Archives the channel, which hides it from lists and pickers, or brings it back. */
function Retire({ channel }: { channel: Channel }) {
  const w = useWords(words);
  const { id, name, archived } = channel;
  const to = apiPath('/channels/{id}', { id });
  const send = useSend((next: boolean) => patch(to, { archived: next }), {
    refresh: ['/channels', '/overview', '/exchange-rates'],
    done: (now) => (now.archived ? w.archivedDone(name) : w.restoredDone(name)),
    subject: `channel ${id} archived`,
    undo: (_, next) => () =>
      patch(to, next ? { archived: false, is_active: channel.is_active } : { archived: true }),
  });
  const ask = async () => {
    const question = { title: w.archiveTitle(name), text: w.archiveText, confirm: w.archive, danger: true };
    if (archived || (await confirm(question))) send.mutate(!archived);
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {archived ? w.archivedText : w.archiveHint}
      </Text>
      <Button
        variant="default"
        style={{ flex: 'none' }}
        loading={send.isPending}
        leftSection={archived ? <ArchiveRestore size={16} aria-hidden /> : <Archive size={16} aria-hidden />}
        onClick={() => void ask()}
      >
        {archived ? w.restore : w.archive}
      </Button>
    </Group>
  );
}

/** The previous key while it is still valid, with a button to revoke it. */
function PreviousKey({ channel, until }: { channel: Channel; until: string }) {
  const w = useWords(words);
  const format = useFormat();
  const end = useSend(() => del(apiPath('/channels/{id}/previous-key', { id: channel.id })), {
    refresh: ['/channels'],
    done: () => w.previousEnded(channel.name),
  });
  const ask = async () => {
    const question = {
      title: w.endPreviousTitle(channel.name),
      text: w.endPreviousText,
      confirm: w.endPrevious,
      danger: true,
    };
    if (await confirm(question)) end.mutate();
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{w.previousUntil(format.dateTime(until))}</Text>
        <Text size="sm" c="dimmed">
          {w.previousLastUsed}: <Time at={channel.previous_key_last_used_at} relative />
        </Text>
      </div>
      <Button
        variant="default"
        style={{ flex: 'none' }}
        loading={end.isPending}
        leftSection={<Ban size={16} aria-hidden />}
        onClick={() => void ask()}
      >
        {w.endPrevious}
      </Button>
    </Group>
  );
}
