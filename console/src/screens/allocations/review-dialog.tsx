// Preview: the service calculates the whole change in a dry run.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loading, Problem } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import type { Edit } from './edits.ts';
import { Results } from './results.tsx';
import { problemsOf, tryAll } from './save.ts';
import { words } from './words.ts';

interface ReviewProps {
  edits: readonly Edit[];
  nameOf: (channelId: number) => string;
  onSave: () => void;
  onClose: () => void;
}

export function ReviewDialog({ edits, nameOf, onSave, onClose }: ReviewProps) {
  const w = useWords(words);
  const c = useWords(common);
  const answer = useQuery({
    queryKey: ['allocations dry run', edits],
    queryFn: () => tryAll(edits),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const stale = problemsOf(answer.error);
  const isOver = answer.data?.some(({ overcommitted_by }) => overcommitted_by > 0) ?? false;
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={w.reviewTitle(edits.length)}
      closeButtonProps={{ 'aria-label': c.close }}
    >
      <Stack gap="sm">
        {answer.isPending && <Loading lines={4} />}
        {answer.error &&
          (stale === null ? (
            <Problem error={answer.error} />
          ) : (
            <Problem error={new Error(w.reviewStale(stale.size))} />
          ))}
        {answer.data && <Results results={answer.data} nameOf={nameOf} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {c.back}
          </Button>
          {(answer.data || stale !== null) && (
            <Button onClick={onSave} {...(isOver ? { color: 'orange' } : {})}>
              {isOver ? w.overcommitSave : w.saveAll(edits.length)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
