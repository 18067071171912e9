// Short messages in the corner, read out by screen readers (role="alert").
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { messageOf } from '../api/error.ts';
import { common } from '../i18n/common.ts';
import { wordsNow } from '../i18n/words.ts';

const GOOD_MS = 4_000;
const BAD_MS = 10_000;
/** How long a change can be undone. */
const UNDO_MS = 60_000;

function show(message: ReactNode, color: string, autoClose: number, id?: string): void {
  const closeButtonProps = { 'aria-label': wordsNow(common).close };
  notifications.show({ message, color, autoClose, closeButtonProps, ...(id === undefined ? {} : { id }) });
}

export const toastGood = (message: string): void => show(message, 'water', GOOD_MS);
export const toastBad = (message: string): void => show(message, 'red', BAD_MS);

let shown = 0;

/** The last message about each subject. */
const bySubject = new Map<string, string>();

/** Reports a change, with a button that undoes it. It replaces an earlier message about the same subject. */
export function toastUndo(message: string, undo: () => Promise<unknown>, subject?: string): void {
  const w = wordsNow(common);
  const id = `undo-${++shown}`;
  const earlier = subject === undefined ? undefined : bySubject.get(subject);
  if (earlier !== undefined) notifications.hide(earlier);
  if (subject !== undefined) bySubject.set(subject, id);
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo();
      toastGood(w.undone);
    } catch (error) {
      toastBad(messageOf(error));
    }
  };
  const content = (
    <Group justify="space-between" wrap="nowrap">
      <span>{message}</span>
      <Button size="compact-sm" variant="default" style={{ flex: 'none' }} onClick={() => void takeBack()}>
        {w.undo}
      </Button>
    </Group>
  );
  show(content, 'water', UNDO_MS, id);
}
