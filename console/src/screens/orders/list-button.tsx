import { Button } from '@mantine/core';
import { ListChecks } from 'lucide-react';
import { useUrlState } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { ListDialog } from './list-dialog.tsx';
import { listWords } from './words.ts';

/** "Ship from a list" with its dialog. */
export function ListButton() {
  const l = useWords(listWords);
  const [url, setUrl] = useUrlState({ list: '' });
  return (
    <>
      <Button
        variant="default"
        leftSection={<ListChecks size={15} aria-hidden />}
        onClick={() => setUrl({ list: '1' })}
      >
        {l.open}
      </Button>
      {url.list !== '' && <ListDialog onClose={() => setUrl({ list: '' })} />}
    </>
  );
}
