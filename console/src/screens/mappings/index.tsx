import { Badge, Select, Tabs } from '@mantine/core';
import { Store } from 'lucide-react';
import { useAll, useGet } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import type { Channel } from '../../api/types.ts';
import { EmptyState, LinkButton, Page, Reading, useUrlState } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Asked } from './asked.tsx';
import { Mapped } from './mapped.tsx';
import './mappings.css';
import { words } from './words.ts';

const REFRESH_MS = 10_000;
const ALL = 'all';
const MAPPED = 'mapped';
const ASKED = 'asked';

export default function Mappings() {
  const w = useWords(words);
  const channels = useAll('/channels');
  return (
    <Page title={w.title} description={w.description}>
      <Reading query={channels}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon={Store}
              title={w.noChannels}
              text={w.noChannelsText}
              action={<LinkButton to="/channels" variant="filled" label={w.toChannels} />}
            />
          ) : (
            <OfChannels channels={list} />
          )
        }
      </Reading>
    </Page>
  );
}

/** Default without a channel in the URL: all channels for unmapped SKU requests, otherwise the first active channel. */
function choiceOf(asked: string, tab: string, channels: readonly Channel[]): string {
  if (asked !== '') return asked === ALL && tab === MAPPED ? firstOf(channels) : asked;
  return tab === ASKED && channels.length > 1 ? ALL : firstOf(channels);
}

const firstOf = (channels: readonly Channel[]): string =>
  String((channels.find(({ is_active }) => is_active) ?? channels[0])?.id ?? '');

function OfChannels({ channels }: { channels: readonly Channel[] }) {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState({ channel: '', tab: MAPPED, search: '' });
  const tab = url.tab === ASKED ? ASKED : MAPPED;
  const choice = choiceOf(url.channel, tab, channels);
  const channel = channels.find(({ id }) => String(id) === choice);
  const options = channels.map(({ id, name, is_active }) => ({
    value: String(id),
    label: is_active ? name : w.inactive(name),
  }));
  return (
    <>
      <div className="filters">
        <Select
          label={c.channel}
          searchable={channels.length > 10}
          w={320}
          maw="100%"
          data={tab === ASKED ? [{ value: ALL, label: c.allChannels }, ...options] : options}
          value={channel === undefined && choice !== ALL ? null : choice}
          onChange={(value) => setUrl({ channel: value ?? '', search: '' })}
        />
      </div>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => setUrl({ tab: value ?? MAPPED, search: '' })}
      >
        <TabNames channel={channel} />
        <Tabs.Panel value={MAPPED}>
          {channel ? <Mapped key={channel.id} channel={channel} /> : <Unknown />}
        </Tabs.Panel>
        <Tabs.Panel value={ASKED}>
          {channel || choice === ALL ? (
            <Asked key={choice} channels={channel ? [channel] : channels} isAll={choice === ALL} />
          ) : (
            <Unknown />
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Unknown() {
  const w = useWords(words);
  return <EmptyState title={w.unknownChannel} text={w.unknownChannelText} />;
}

/** The two tabs with their counts, for one channel or for all channels. */
function TabNames({ channel }: { channel: Channel | undefined }) {
  const w = useWords(words);
  const format = useFormat();
  const options = { everyMs: REFRESH_MS };
  const checklist = useGet(
    channel ? apiPath('/channels/{id}/checklist', { id: channel.id }) : null,
    {},
    options,
  );
  const overview = useGet(channel ? null : '/overview', { hours: 1 }, options);
  const counts = checklist.data?.items.find((item) => item.key === 'mappings')?.detail;
  const asked = channel ? counts?.unmapped_asked : overview.data?.unmapped_count;
  return (
    <Tabs.List mb="md">
      <Tabs.Tab
        value={MAPPED}
        rightSection={counts && <Badge color="gray">{format.integer(counts.mapped)}</Badge>}
      >
        {w.tabMapped}
      </Tabs.Tab>
      <Tabs.Tab
        value={ASKED}
        rightSection={
          asked !== undefined && <Badge color={asked > 0 ? 'yellow' : 'gray'}>{format.integer(asked)}</Badge>
        }
      >
        {w.tabAsked}
      </Tabs.Tab>
    </Tabs.List>
  );
}
