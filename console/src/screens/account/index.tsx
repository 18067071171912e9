import { useSession } from '../../api/session.ts';
import { Page } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { words } from './words.ts';

export default function Account() {
  const w = useWords(words);
  const hasAccount = useSession()?.user !== null;
  return (
    <Page title={w.title} description={w.description}>
      {hasAccount && <SecondFactor />}
      <Sessions />
    </Page>
  );
}
