import { Page } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { Sessions } from './sessions.tsx';
import { words } from './words.ts';

export default function Account() {
  const w = useWords(words);
  return (
    <Page title={w.title} description={w.description}>
      <Sessions />
    </Page>
  );
}
