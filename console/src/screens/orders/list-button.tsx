import { Button } from '@mantine/core';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { ListDialog } from './list-dialog.tsx';
import { listWords } from './words.ts';

/** "Ship from a list" with its dialog. */
export function ListButton() {
  const l = useWords(listWords);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<ListChecks size={15} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {l.open}
      </Button>
      {isOpen && <ListDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}
