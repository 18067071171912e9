import { Button, Group } from '@mantine/core';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

interface DialogButtonsProps {
  /** Label of the submit button ("Save", "Create"). */
  submit: string;
  isSending: boolean;
  onClose: () => void;
}

/** The buttons at the end of a form in a dialog. */
export function DialogButtons({ submit, isSending, onClose }: DialogButtonsProps) {
  const w = useWords(common);
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {w.cancel}
      </Button>
      <Button type="submit" loading={isSending}>
        {submit}
      </Button>
    </Group>
  );
}
