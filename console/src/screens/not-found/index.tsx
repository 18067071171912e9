import { Button } from '@mantine/core';
import { MapPinOff } from 'lucide-react';
import { Link } from 'react-router';
import { EmptyState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

export default function NotFound() {
  const w = useWords(words);
  return (
    <Page title={w.title}>
      <EmptyState
        icon={<MapPinOff size={28} strokeWidth={1.5} aria-hidden />}
        title={w.text}
        action={
          <Button component={Link} to="/">
            {w.home}
          </Button>
        }
      />
    </Page>
  );
}
