import { Button } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useRouteError } from 'react-router';
import { EmptyState } from '../components/states.tsx';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

/** Error boundary for bugs of the console, with a way out. The navigation stays visible if possible. */
export function Crash() {
  const w = useWords(words);
  const error = useRouteError();
  useEffect(() => console.error(error), [error]);
  return (
    <div role="alert">
      <EmptyState
        icon={CircleAlert}
        color="var(--bad)"
        title={w.crashTitle}
        text={w.crashText}
        action={<Button onClick={() => window.location.reload()}>{w.reload}</Button>}
      />
    </div>
  );
}
