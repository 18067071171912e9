// Short messages in the corner, read out by screen readers (role="alert").
import { notifications } from '@mantine/notifications';
import { common } from '../i18n/common.ts';
import { wordsNow } from '../i18n/words.ts';

const GOOD_MS = 4_000;
const BAD_MS = 10_000;

function show(message: string, color: string, autoClose: number): void {
  const closeButtonProps = { 'aria-label': wordsNow(common).close };
  notifications.show({ message, color, autoClose, closeButtonProps });
}

export const toastGood = (message: string): void => show(message, 'water', GOOD_MS);
export const toastBad = (message: string): void => show(message, 'red', BAD_MS);
