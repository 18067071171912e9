import { Tabs } from '@mantine/core';
import { BellRing } from 'lucide-react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import type { Alert } from '../../api/types.ts';
import { DataTable, EmptyState, Page, Time, useUrlState, type Column } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { Rules } from './rules.tsx';
import { words } from './words.ts';

const EVERY_MS = 10_000;

export default function Alerts() {
  const w = useWords(words);
  const [url, setUrl] = useUrlState({ tab: 'open' });
  return (
    <Page title={w.title} description={w.description}>
      <Tabs value={url.tab} onChange={(tab) => setUrl({ tab: tab ?? 'open' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="open">{w.open}</Tabs.Tab>
          <Tabs.Tab value="closed">{w.closed}</Tabs.Tab>
          <Tabs.Tab value="rules">{w.rules}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="open">
          <AlertList state="open" />
        </Tabs.Panel>
        <Tabs.Panel value="closed">
          <AlertList state="closed" />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <Rules />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** The contents of `details`; which fields are present depends on the kind. Texts of the API are not parsed. */
interface Facts {
  variant_code?: string;
  channel_id?: number;
  channel_name?: string;
  sku?: string;
  currency_code?: string;
  webhook_id?: number;
  description?: string;
  count?: number;
}

function Subject({ alert }: { alert: Alert }) {
  const w = useWords(words);
  const facts: Facts = alert.details;
  const link = (to: string, text: string) => <Link to={to}>{text}</Link>;
  if (facts.variant_code !== undefined)
    return link(`/stock/${encodeURIComponent(facts.variant_code)}`, facts.variant_code);
  if (facts.sku !== undefined && facts.channel_id !== undefined)
    return link(`/mappings?channel=${facts.channel_id}`, `${facts.channel_name ?? ''}: ${facts.sku}`);
  if (facts.channel_id !== undefined) {
    const name = facts.channel_name ?? String(facts.channel_id);
    const text = facts.count === undefined ? name : `${name}: ${w.orders(facts.count)}`;
    return link(`/channels/${facts.channel_id}`, text);
  }
  if (facts.currency_code !== undefined) return link('/exchange-rates', facts.currency_code);
  if (facts.webhook_id !== undefined)
    return link(`/webhooks/${facts.webhook_id}`, facts.description || `${facts.webhook_id}`);
  return <>{w.counters}</>;
}

function AlertList({ state }: { state: 'open' | 'closed' }) {
  const w = useWords(words);
  const list = useList('/alerts', { state }, { everyMs: EVERY_MS });
  const columns: Column<Alert>[] = [
    { key: 'kind', header: w.kind, primary: true, cell: ({ kind }) => w[kind] },
    { key: 'subject', header: w.subject, cell: (alert) => <Subject alert={alert} /> },
    { key: 'opened', header: w.opened, cell: ({ opened_at }) => <Time at={opened_at} relative /> },
    ...(state === 'closed'
      ? [
          {
            key: 'closed',
            header: w.closedAt,
            cell: ({ closed_at }: Alert) => <Time at={closed_at} relative />,
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label={w.title}
      columns={columns}
      rowKey={({ id }) => id}
      list={list}
      empty={
        <EmptyState
          icon={BellRing}
          title={state === 'open' ? w.noneOpen : w.noneClosed}
          {...(state === 'open' ? { text: w.noneOpenText } : {})}
        />
      }
    />
  );
}
