import { Tabs } from '@mantine/core';
import { Page, useUrlState } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { Late } from './late.tsx';
import { Refused } from './refused.tsx';
import './refusals.css';
import { words } from './words.ts';

const REFUSED = 'refused';
const LATE = 'late';

export default function Refusals() {
  const w = useWords(words);
  const [url, setUrl] = useUrlState({ tab: REFUSED, search: '' });
  const tab = url.tab === LATE ? LATE : REFUSED;
  return (
    <Page title={w.title} description={w.description}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => setUrl({ tab: value ?? REFUSED, search: '' })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value={REFUSED}>{w.tabRefused}</Tabs.Tab>
          <Tabs.Tab value={LATE}>{w.tabLate}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={REFUSED}>
          <Refused />
        </Tabs.Panel>
        <Tabs.Panel value={LATE}>
          <Late />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
