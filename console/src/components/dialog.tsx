import { Modal, type ModalProps } from '@mantine/core';
import { useState } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { confirm } from './confirm.tsx';

interface DialogProps extends Omit<ModalProps, 'opened'> {
  /** There is unsaved input: closing by Esc, the close button or a click outside asks first. */
  isDirty?: boolean;
}

/** A dialog that asks before it discards input. Its own Cancel button closes it without asking. */
export function Dialog({ isDirty = false, onClose, ...props }: DialogProps) {
  const c = useWords(common);
  const [isAsking, setAsking] = useState(false);
  const close = async () => {
    if (!isDirty) return onClose();
    setAsking(true);
    const question = {
      title: c.discardTitle,
      text: c.discardText,
      confirm: c.discard,
      cancel: c.keepEditing,
      danger: true,
    };
    // Separate tasks: otherwise the Esc that opens the question would also answer it, and the Esc that answers it would
    // reach this dialog and ask again.
    await nextTask();
    const isDiscarded = await confirm(question);
    await nextTask();
    setAsking(false);
    if (isDiscarded) onClose();
  };
  return (
    <Modal
      opened
      onClose={() => void close()}
      // Esc in the question must not open it again.
      closeOnEscape={!isAsking}
      closeOnClickOutside={!isAsking}
      trapFocus={!isAsking}
      closeButtonProps={{ 'aria-label': c.close }}
      {...props}
    />
  );
}

const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });
