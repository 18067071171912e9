import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

export interface Outcome {
  saved: number;
  failures: { key: string; item: string; channel: string; text: string }[];
}

interface BarProps {
  count: number;
  elsewhere: number;
  faulty: number;
  warnings: number;
  isSaving: boolean;
  outcome: Outcome | null;
  onReview: () => void;
  onSave: () => void;
  onDiscard: () => void;
  onClose: () => void;
}

/** Shown at the bottom while there are unsaved changes, with the result of the last attempt. */
export function SaveBar(props: BarProps) {
  const { count, elsewhere, faulty, warnings, isSaving, outcome } = props;
  const w = useWords(words);
  if (count === 0 && outcome === null) return null;
  const notes = [elsewhere > 0 && w.elsewhere(elsewhere), faulty > 0 && w.faulty(faulty)].filter(Boolean);
  return (
    <div className="allocations-bar">
      <Stack gap="xs">
        {outcome !== null && <Results outcome={outcome} onClose={props.onClose} />}
        {count > 0 && (
          <Group justify="space-between" gap="sm">
            <div>
              <Text size="sm" fw={600} role="status">
                {w.pending(count)}
                {notes.length > 0 && ` (${notes.join(', ')})`}
              </Text>
              {warnings > 0 && (
                <Text size="xs" className="allocations-warning">
                  <TriangleAlert size={13} aria-hidden /> {w.warnings(warnings)}
                </Text>
              )}
            </div>
            <Group gap="xs">
              <Button variant="default" onClick={props.onDiscard} disabled={isSaving}>
                {w.discard}
              </Button>
              <Button variant="default" onClick={props.onReview} disabled={isSaving || faulty > 0}>
                {w.preview}
              </Button>
              <Button onClick={props.onSave} loading={isSaving} disabled={faulty > 0}>
                {w.saveAll(count)}
              </Button>
            </Group>
          </Group>
        )}
      </Stack>
    </div>
  );
}

function Results({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const hasFailed = outcome.failures.length > 0;
  return (
    <Alert
      role="alert"
      p="xs"
      color={hasFailed ? 'red' : 'water'}
      icon={hasFailed ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}
      withCloseButton
      closeButtonLabel={c.close}
      onClose={onClose}
    >
      {outcome.saved > 0 && <div>{w.saved(outcome.saved)}</div>}
      {hasFailed && (
        <>
          <div>{w.failed(outcome.failures.length)}</div>
          <ul className="allocations-failures">
            {outcome.failures.map(({ key, item, channel, text }) => (
              <li key={key}>
                <span className="mono">{item}</span> · {channel}: {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </Alert>
  );
}
