import { Badge, Group, Switch } from '@mantine/core';
import { Store, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { Channel, ChannelWithKey } from '../../api/types.ts';
import {
  ActiveBadge,
  AddButton,
  DataTable,
  EmptyState,
  Page,
  Time,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { useNameOf, useRateOf } from './country.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { words } from './words.ts';

export default function Channels() {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('admin');
  const regionName = useNameOf('region');
  const rateOf = useRateOf();
  // In the URL, so that "create a channel" can be a link.
  const [url, setUrl] = useUrlState({ new: '', archived: '' });
  const isArchive = url.archived !== '';
  const channels = useList('/channels', { archived: isArchive });
  const [made, setMade] = useState<ChannelWithKey | null>(null);
  const addButton = canEdit && <AddButton label={w.add} onClick={() => setUrl({ new: '1' })} />;
  const missingOf = ({ country_code, currency_code }: Channel): string[] => [
    ...(country_code === null ? [w.noCountry] : []),
    ...(rateOf(currency_code) === null ? [w.noRate(currency_code)] : []),
  ];

  const columns: Column<Channel>[] = [
    {
      key: 'name',
      header: c.name,
      primary: true,
      cell: ({ id, name }) => <Link to={path`/channels/${id}`}>{name}</Link>,
    },
    {
      key: 'country',
      header: w.country,
      cell: ({ country_code }) => country_code && `${regionName(country_code)} (${country_code})`,
    },
    {
      key: 'currency',
      header: w.currency,
      cell: ({ currency_code }) => currency_code,
    },
    { key: 'state', header: c.state, cell: ({ is_active }) => <ActiveBadge isActive={is_active} /> },
    { key: 'warnings', header: w.warnings, cell: (channel) => warnings(missingOf(channel)) },
    {
      key: 'used',
      header: w.keyLastUsed,
      cell: (channel) => <Time at={channel.key_last_used_at} relative />,
    },
    { key: 'created', header: c.created, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <Page title={w.title} description={w.description} actions={addButton}>
      <Switch
        mb="sm"
        label={w.showArchived}
        checked={isArchive}
        onChange={({ currentTarget }) => setUrl({ archived: currentTarget.checked ? '1' : '' })}
      />
      <DataTable
        label={w.title}
        columns={columns}
        rowKey={({ id }) => id}
        list={channels}
        empty={
          <EmptyState
            icon={Store}
            title={isArchive ? w.noneArchived : w.empty}
            {...(isArchive ? {} : { text: canEdit ? w.emptyText : w.emptyTextViewer, action: addButton })}
          />
        }
      />
      {canEdit && url.new !== '' && (
        <CreateDialog
          onClose={() => setUrl({ new: '' })}
          onMade={(channel) => {
            setUrl({ new: '' });
            setMade(channel);
          }}
        />
      )}
      {made !== null && <KeyDialog channel={made} withLink onClose={() => setMade(null)} />}
    </Page>
  );
}

/** Warnings about settings that make the amounts of a channel wrong. */
const warnings = (texts: string[]) =>
  texts.length > 0 && (
    <Group gap={6}>
      {texts.map((text) => (
        <Badge
          key={text}
          color="yellow"
          miw="max-content"
          leftSection={<TriangleAlert size={12} aria-hidden />}
        >
          {text}
        </Badge>
      ))}
    </Group>
  );
