import { Button, Group, Modal, Text } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

export interface Question {
  title: string;
  text: ReactNode;
  /** Label of the button that confirms. */
  confirm: string;
  /** Label of the other button. Default: "Cancel". */
  cancel?: string;
  /** Red, for actions that remove something. */
  danger?: boolean;
}

interface Asked extends Question {
  isOpen: boolean;
  answer: (yes: boolean) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

function set(next: Asked | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** `if (await confirm({ title, text, confirm: w.delete, danger: true })) …` */
export function confirm(question: Question): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      if (asked) set({ ...asked, isOpen: false }); // the text stays while the dialog fades out
      resolve(yes);
    };
    set({ ...question, isOpen: true, answer });
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Renders the question of `confirm`. Mounted once, in the layout. */
export function ConfirmHost() {
  const question = useSyncExternalStore(subscribe, () => asked);
  const w = useWords(common);
  if (question === null) return null;
  const { answer, isOpen, title, text } = question;
  return (
    <Modal
      opened={isOpen}
      onClose={() => answer(false)}
      title={title}
      size="md"
      zIndex={300}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <Text size="sm" component="div">
        {text}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => answer(false)} data-autofocus>
          {question.cancel ?? w.cancel}
        </Button>
        <Button {...(question.danger === true ? { color: 'red' } : {})} onClick={() => answer(true)}>
          {question.confirm}
        </Button>
      </Group>
    </Modal>
  );
}
