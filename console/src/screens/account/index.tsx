import { Text } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { Page } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { words } from './words.ts';

export default function Account() {
  const w = useWords(words);
  const session = useSession();
  return (
    <Page title={w.title} description={w.description}>
      {session?.has_password === true && <SecondFactor />}
      {session?.has_password === false && session.user !== null && <Text mb="lg">{w.singleSignOn}</Text>}
      <Sessions />
    </Page>
  );
}
