import { Button } from '@mantine/core';
import { Printer } from 'lucide-react';
import { Link } from 'react-router';
import { useWords } from '../../i18n/words.ts';
import { listWords } from './words.ts';

type Paper = 'pick' | 'packing';
const BOTH: readonly Paper[] = ['pick', 'packing'];

interface PrintLinksProps {
  ids: readonly number[];
  papers?: readonly Paper[];
  size?: string;
}

/** Links to the pick and packing lists of these orders. They open in a new tab, so that the selection is kept. */
export function PrintLinks({ ids, papers = BOTH, size = 'sm' }: PrintLinksProps) {
  const l = useWords(listWords);
  const names: Record<Paper, string> = { pick: l.pickList, packing: l.packingList };
  return papers.map((paper) => (
    <Button
      key={paper}
      component={Link}
      to={`/packing?${new URLSearchParams({ paper, ids: ids.join(',') }).toString()}`}
      target="_blank"
      variant="default"
      size={size}
      leftSection={<Printer size={14} aria-hidden />}
    >
      {names[paper]}
    </Button>
  ));
}
