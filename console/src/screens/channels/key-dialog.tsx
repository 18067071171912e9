import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { path } from '../../api/request.ts';
import type { ChannelWithKey } from '../../api/types.ts';
import { Secret } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Command, inventoryCommand } from './command.tsx';
import { fieldWords } from './words.ts';

interface KeyDialogProps {
  channel: ChannelWithKey;
  /** A way to the channel's own page; not shown there. */
  withLink?: boolean;
  onClose: () => void;
}

/** The key, once, and a command that uses it. */
export function KeyDialog({ channel, withLink = false, onClose }: KeyDialogProps) {
  const w = useWords(fieldWords);
  const c = useWords(common);
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      closeOnEscape={false}
      title={w.keyTitle(channel.name)}
      closeButtonProps={{ 'aria-label': c.close }}
    >
      <Stack>
        <Text size="sm">{w.keyText}</Text>
        <Secret label={w.apiKey} value={channel.api_key} />
        <Command label={w.tryIt} text={inventoryCommand(channel.api_key)} />
        <Group justify="flex-end">
          {withLink && (
            <Button variant="default" component={Link} to={path`/channels/${channel.id}`}>
              {w.toChannel}
            </Button>
          )}
          <Button onClick={onClose}>{w.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
