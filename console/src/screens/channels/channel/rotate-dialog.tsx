import { Modal, Select, Stack, Text } from '@mantine/core';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { post } from '../../../api/request.ts';
import type { Channel, ChannelWithKey } from '../../../api/types.ts';
import { DialogButtons, Problem, useForm } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

interface RotateDialogProps {
  channel: Channel;
  onClose: () => void;
  onMade: (channel: ChannelWithKey) => void;
}

/** Asks how long the current key stays valid, then creates a new one. */
export function RotateDialog({ channel, onClose, onMade }: RotateDialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const rotate = useSend(
    (overlap_seconds: number) =>
      post(apiPath('/channels/{id}/rotate-key', { id: channel.id }), { overlap_seconds }),
    { refresh: ['/channels'], failure: 'inline', onDone: onMade },
  );
  const form = useForm({ overlap_seconds: '0' }, { error: rotate.error, guard: false });
  const choices = [
    { value: '0', label: w.overlapNone },
    { value: String(HOUR_SECONDS), label: w.overlapHour },
    { value: String(DAY_SECONDS), label: w.overlapDays(1) },
    { value: String(7 * DAY_SECONDS), label: w.overlapDays(7) },
    { value: String(30 * DAY_SECONDS), label: w.overlapDays(30) },
  ];
  const overlap = Number(form.values.overlap_seconds);
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.rotateTitle(channel.name)}
      closeButtonProps={{ 'aria-label': c.close }}
    >
      <form onSubmit={form.submit(() => rotate.mutate(overlap))} noValidate>
        <Stack gap="sm">
          <Select
            label={w.overlap}
            data={choices}
            allowDeselect={false}
            data-autofocus
            {...form.choice('overlap_seconds')}
          />
          <Text size="sm">{overlap === 0 ? w.rotateText : w.rotateOverlapText}</Text>
          {channel.previous_key_valid_until !== null && <Text size="sm">{w.rotateStopsOlder}</Text>}
          <Problem error={rotate.error} except={form.names} />
          <DialogButtons submit={w.rotate} isSending={rotate.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
