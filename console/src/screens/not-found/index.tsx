import { MapPinOff } from 'lucide-react';
import { EmptyState, LinkButton, Page } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

export default function NotFound() {
  const w = useWords(words);
  return (
    <Page title={w.title}>
      <EmptyState
        icon={MapPinOff}
        title={w.text}
        action={<LinkButton to="/" variant="filled" label={w.home} />}
      />
    </Page>
  );
}
