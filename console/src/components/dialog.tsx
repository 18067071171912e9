import { Modal, type ModalProps } from '@mantine/core';
import { useState } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { confirm } from './confirm.tsx';

interface DialogProps extends Omit<ModalProps, 'opened'> {
  /** Something was typed: closing by Esc, the cross or a click beside it asks first. */
  isDirty?: boolean;
}

/** A dialog that does not lose what was typed. Its own Cancel button closes it at once. */
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
    // In tasks of their own: the Esc that asks would go on to the question and answer it, and the Esc that answers would go
    // on to this dialog and ask again.
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
      // The Esc that answers the question must not ask it again.
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
