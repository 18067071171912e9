import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { Webhook, WebhookWithSecret } from '../../api/types.ts';
import { AddButton, Count, ListPage, Time, type Column } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { WebhookDialog, WebhookSecretDialog } from './dialogs.tsx';
import { WebhookState } from './state.tsx';
import { words } from './words.ts';

const EVERY_MS = 10_000;

export default function Webhooks() {
  const w = useWords(words);
  const isAdmin = useCan('admin');
  const webhooks = useList('/webhooks', {}, { everyMs: EVERY_MS });
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const addButton = isAdmin && <AddButton label={w.add} onClick={() => setAdding(true)} />;
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      header: w.url,
      primary: true,
      cell: ({ id, url, description }) => (
        <Link to={`/webhooks/${id}`} style={{ wordBreak: 'break-all' }}>
          {description === '' ? url : description}
        </Link>
      ),
    },
    { key: 'events', header: w.events, cell: ({ events }) => events.map((event) => w[event]).join(', ') },
    { key: 'state', header: w.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      key: 'waiting',
      header: w.waiting,
      align: 'right',
      cell: ({ pending_count }) => <Count n={pending_count} />,
    },
    {
      key: 'success',
      header: w.lastSuccess,
      cell: ({ last_success_at }) => <Time at={last_success_at} relative />,
    },
  ];
  return (
    <ListPage
      title={w.title}
      description={w.description}
      add={addButton}
      columns={columns}
      rowKey={({ id }) => id}
      list={webhooks}
      empty={{
        icon: WebhookIcon,
        title: w.empty,
        text: w.emptyText,
      }}
    >
      {isAdding && <WebhookDialog onClose={() => setAdding(false)} onMade={setMade} />}
      {made !== null && <WebhookSecretDialog secret={made.secret} onClose={() => setMade(null)} />}
    </ListPage>
  );
}
