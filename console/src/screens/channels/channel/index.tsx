import { Badge, Button, Group } from '@mantine/core';
import { ArrowLeftRight, ReceiptText, Split } from 'lucide-react';
import { Fragment } from 'react';
import { Link, useParams } from 'react-router';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { useCan } from '../../../api/session.ts';
import { Page, Reading } from '../../../components/index.ts';
import type { Channel as ChannelRow } from '../../../api/types.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { Access } from './access.tsx';
import './channel.css';
import { Checklist } from './checklist.tsx';
import { Commands } from './commands.tsx';
import { Settings } from './settings.tsx';
import { ChannelPolicy } from './policy.tsx';
import { Requests } from './requests.tsx';
import { words } from './words.ts';

export default function Channel() {
  const w = useWords(words);
  const format = useFormat();
  const canEdit = useCan('admin');
  const { id = '' } = useParams();
  const channel = useGet(apiPath('/channels/{id}', { id }));
  return (
    <Page
      title={channel.data ? <Heading channel={channel.data} /> : w.title}
      tab={channel.data?.name ?? w.title}
      back={{ to: '/channels', label: w.back }}
      {...(channel.data ? { description: w.created(format.dateTime(channel.data.created_at)) } : {})}
      actions={channel.data && <Ways id={channel.data.id} />}
    >
      <Reading query={channel}>
        {(data) => (
          // The key resets the fields when the page changes to another channel.
          <Fragment key={data.id}>
            <div className="channel-grid">
              <div className="channel-column">
                <Settings channel={data} />
                {canEdit && <Access channel={data} />}
                {canEdit && <ChannelPolicy channel={data} />}
              </div>
              <div className="channel-column">
                <Checklist channel={data} />
                <Commands channel={data} />
              </div>
            </div>
            <Requests channel={data} />
          </Fragment>
        )}
      </Reading>
    </Page>
  );
}

const Heading = ({ channel: { name, archived } }: { channel: ChannelRow }) => {
  const c = useWords(common);
  return (
    <Group component="span" gap="xs">
      <span>{name}</span>
      {archived && <Badge color="gray">{c.archived}</Badge>}
    </Group>
  );
};

function Ways({ id }: { id: number }) {
  const w = useWords(words);
  const ways = [
    { to: `/mappings?channel=${id}`, label: w.mappings, Icon: ArrowLeftRight },
    { to: `/allocations?channel=${id}`, label: w.allocations, Icon: Split },
    { to: `/orders?channel_id=${id}`, label: w.orders, Icon: ReceiptText },
  ];
  return (
    <Group gap="xs">
      {ways.map(({ to, label, Icon }) => (
        <Button
          key={to}
          component={Link}
          to={to}
          variant="default"
          leftSection={<Icon size={16} aria-hidden />}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
