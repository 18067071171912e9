import { Tabs } from '@mantine/core';
import { BellRing } from 'lucide-react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import type { Alert } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  groupAlerts,
  Page,
  Time,
  useUrlState,
  type AlertGroup,
  type Column,
} from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
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
  host?: string;
  description?: string;
  count?: number;
}

function Subject({ alert }: { alert: Alert }) {
  const w = useWords(words);
  const facts: Facts = alert.details;
  const link = (to: string, text: string) => <Link to={to}>{text}</Link>;
  if (facts.variant_code !== undefined)
    return link(
      `/stock/${encodeURIComponent(facts.variant_code)}`,
      facts.channel_name === undefined ? facts.variant_code : `${facts.channel_name}: ${facts.variant_code}`,
    );
  if (facts.sku !== undefined && facts.channel_id !== undefined)
    return link(`/mappings?channel=${facts.channel_id}`, `${facts.channel_name ?? ''}: ${facts.sku}`);
  if (facts.channel_id !== undefined) {
    const name = facts.channel_name ?? String(facts.channel_id);
    const text = facts.count === undefined ? name : `${name}: ${w.orders(facts.count)}`;
    return link(`/channels/${facts.channel_id}`, text);
  }
  if (facts.currency_code !== undefined) return link('/exchange-rates', facts.currency_code);
  if (facts.webhook_id !== undefined)
    return link(`/webhooks/${facts.webhook_id}`, facts.description || facts.host || `${facts.webhook_id}`);
  return <>{w.counters}</>;
}

const SHOWN_MAX = 5;

/** One alert, or several of one cause: their number, with the first ones. */
function Subjects({ group: { alerts } }: { group: AlertGroup }) {
  const w = useWords(words);
  const format = useFormat();
  const [first] = alerts;
  if (first === undefined) return null;
  if (alerts.length === 1) return <Subject alert={first} />;
  const facts: Facts = first.details;
  const n = format.integer(alerts.length);
  const shown = alerts.slice(0, SHOWN_MAX).map(({ details }) => (details as Facts).sku ?? '');
  const more = alerts.length - SHOWN_MAX;
  return (
    <details>
      <summary>{facts.sku === undefined ? w.items(n) : w.skus(facts.channel_name ?? '', n)}</summary>
      {facts.sku === undefined ? (
        alerts.map((alert) => (
          <div key={alert.id}>
            <Subject alert={alert} />
          </div>
        ))
      ) : (
        <Link to={`/mappings?channel=${facts.channel_id}`}>
          {shown.join(', ')}
          {more > 0 && ` ${w.more(format.integer(more))}`}
        </Link>
      )}
    </details>
  );
}

/** Enough for one page, because only alerts that have been read are grouped. */
const PAGE_ROWS = 500;

function AlertList({ state }: { state: 'open' | 'closed' }) {
  const w = useWords(words);
  const list = useList('/alerts', { state }, { everyMs: EVERY_MS, limit: PAGE_ROWS });
  const groups = { ...list, rows: groupAlerts(list.rows) };
  const columns: Column<AlertGroup>[] = [
    { key: 'kind', header: w.kind, primary: true, cell: ({ kind }) => w[kind] },
    { key: 'subject', header: w.subject, cell: (group) => <Subjects group={group} /> },
    {
      key: 'opened',
      header: w.opened,
      cell: ({ alerts }) => <Time at={alerts[0]?.opened_at ?? null} relative />,
    },
    ...(state === 'closed'
      ? [
          {
            key: 'closed',
            header: w.closedAt,
            cell: ({ alerts }: AlertGroup) => <Time at={alerts[0]?.closed_at ?? null} relative />,
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label={w.title}
      columns={columns}
      rowKey={({ key }) => key}
      list={groups}
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
