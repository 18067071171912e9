import { Alert } from '@mantine/core';
import { CloudOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { queryClient } from '../api/query.ts';
import { useIsAway } from '../api/reach.ts';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

/** Shown on every screen while the service does not answer: data may be stale, and is reloaded when it answers again. */
export function AwayBanner() {
  const w = useWords(words);
  const isAway = useIsAway();
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) void queryClient.invalidateQueries();
    wasAway.current = isAway;
  }, [isAway]);
  if (!isAway) return null;
  return (
    <Alert
      color="red"
      variant="filled"
      icon={<CloudOff size={18} aria-hidden />}
      role="alert"
      className="away-banner"
      title={w.awayTitle}
    >
      {w.awayText}
    </Alert>
  );
}
