import { Button, Group, Stack, Text } from '@mantine/core';
import { path } from '../../api/request.ts';
import type { ChannelWithKey } from '../../api/types.ts';
import { LinkButton, OnceDialog, Secret } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { Command, inventoryCommand } from './command.tsx';
import { fieldWords } from './words.ts';

interface KeyDialogProps {
  channel: ChannelWithKey;
  /** Shows a link to the channel's page; not needed on that page. */
  withLink?: boolean;
  onClose: () => void;
}

/** Shows the key once, with a command that uses it. */
export function KeyDialog({ channel, withLink = false, onClose }: KeyDialogProps) {
  const w = useWords(fieldWords);
  return (
    <OnceDialog title={w.keyTitle(channel.name)} onClose={onClose}>
      <Stack>
        <Text size="sm">{w.keyText}</Text>
        <Secret label={w.apiKey} value={channel.api_key} />
        <Command label={w.tryIt} text={inventoryCommand(channel.api_key)} />
        <Group justify="flex-end">
          {withLink && <LinkButton to={path`/channels/${channel.id}`} label={w.toChannel} />}
          <Button onClick={onClose}>{w.done}</Button>
        </Group>
      </Stack>
    </OnceDialog>
  );
}
