import { Button, Group, Paper, Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import type { Question } from './use-inquiry.ts';
import { words } from './words.ts';

const PATIENCE_S = 5;
const TICK_MS = 200;

/** Shown while the channel is asked: the elapsed time and a cancel button. */
export function Asking({ question, onStop }: { question: Question; onStop: () => void }) {
  const w = useWords(words);
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    const begin = Date.now();
    const timer = setInterval(() => setElapsedMs(Date.now() - begin), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.min(PATIENCE_S, Math.floor(elapsedMs / 1_000));
  const title = w.asking(question.channel.name, question.code);
  return (
    <Paper>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <div>
          <Text size="sm" fw={600} role="status">
            {title}
          </Text>
          <Text size="xs" c="dimmed" className="num">
            {w.seconds(seconds, PATIENCE_S)}
          </Text>
        </div>
        <Button variant="default" size="xs" onClick={onStop}>
          {w.stop}
        </Button>
      </Group>
      <Progress animated value={Math.min(100, (elapsedMs / (PATIENCE_S * 1_000)) * 100)} aria-label={title} />
    </Paper>
  );
}
