import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAll } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { AuditEntry } from '../../api/types.ts';
import { ActorName, isOrderStatus, ROLES, useRoleName, useStatusName } from '../../components/index.ts';
import { Sentence } from '../../components/sentence.tsx';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { words as alertWords } from '../alerts/words.ts';
import { words as webhookWords } from '../webhooks/words.ts';
import { difference } from './difference.ts';
import { fields, sentences, values } from './sentences.ts';

type Key = keyof typeof sentences.en;
type Facts = Record<string, unknown>;

const isKey = (text: string): text is Key => text in sentences.en && text !== 'because';
const factsOf = (state: AuditEntry['before']): Facts => ({ ...state });

/** Some actions have separate sentences, for example for a first value or for only a part of what can change. */
function keyOf({ action, subject, before, after }: AuditEntry): Key {
  const [was, is] = [factsOf(before), factsOf(after)];
  if (action === 'stock.set' && before === null) return 'stock.set.first';
  if (action === 'stock.import' || action === 'stock.import_undo') {
    const { mode } = is;
    return mode === 'set' || mode === 'subtract' ? `${action}.${mode}` : action;
  }
  if (action === 'order.erase' && subject === 'orders') return 'order.erase.many';
  if (action === 'allocation.set') {
    if (before === null) return 'allocation.set.first';
    if (was['allocated_qty'] === is['allocated_qty']) return 'allocation.set.quota';
  }
  if (was['archived'] === false && is['archived'] === true) return 'archive';
  if (was['archived'] === true && is['archived'] === false) return 'archive.end';
  return isKey(action) ? action : 'other';
}

/** An audit entry as a sentence, with links to its subject. */
export function What({ entry }: { entry: AuditEntry }) {
  const w = useWords(sentences);
  const text = w[keyOf(entry)];
  const parts = useParts(entry);
  const { reason } = factsOf(entry.after);
  const sentence = <Sentence text={text} part={parts} />;
  if (typeof reason !== 'string') return sentence;
  return <Sentence text={w.because} part={(name) => (name === 'reason' ? reason : sentence)} />;
}

/** A value of a field, in words. */
function useValue(): (field: string, value: unknown) => string {
  const f = useWords(fields);
  const v = useWords(values);
  const c = useWords(common);
  const events = useWords(webhookWords);
  const format = useFormat();
  const status = useStatusName();
  const roleName = useRoleName();
  const valueOf = (field: string, value: unknown): string => {
    if (field === 'status' && isOrderStatus(value)) return status(value);
    if (typeof value === 'number') return format.integer(value);
    if (typeof value === 'boolean') return value ? c.yes : c.no;
    if (value === null || value === undefined || value === '') return f.nothing;
    if (Array.isArray(value))
      return value.length === 0 ? f.nothing : value.map((one) => valueOf(field, one)).join(', ');
    if (typeof value !== 'string') return JSON.stringify(value);
    const role = ROLES.find((one) => one === value);
    if ((field === 'role' || field === 'roles') && role !== undefined) return roleName(role);
    if (field === 'mode' && value in v) return v[value as keyof typeof v];
    if (field === 'events' && value in events) return events[value as keyof typeof events];
    return field === 'trace_until' ? format.dateTime(value) : value;
  };
  return valueOf;
}

function useParts(entry: AuditEntry): (name: string) => ReactNode {
  const f = useWords(fields);
  const valueOf = useValue();
  const active = useAll('/channels').data;
  const archived = useAll('/channels', { archived: true }).data;
  const [was, is] = [factsOf(entry.before), factsOf(entry.after)];
  const channelOf = (): ReactNode => {
    const id = Number(is['channel_id'] ?? was['channel_id']);
    const channel = [...(active ?? []), ...(archived ?? [])].find((one) => one.id === id);
    return <Link to={path`/channels/${id}`}>{channel?.name ?? id}</Link>;
  };
  const changes = (): ReactNode =>
    difference(entry.before, entry.after)
      .map(({ field }) => {
        const label = field in f && field !== 'mappings' ? String(f[field as keyof typeof f]) : field;
        return `${label} ${valueOf(field, was[field])} → ${valueOf(field, is[field])}`;
      })
      .join(', ');
  return (name) => {
    const [side, fact] = name.split('.');
    if (name === 'who') return <ActorName actor={entry.actor} name={entry.actor_name} />;
    if (name === 'subject') return <Subject entry={entry} />;
    if (name === 'action') return <span className="mono">{entry.action}</span>;
    if (name === 'channel') return channelOf();
    if (name === 'changes') return changes();
    if (name === 'mappings') return <Mappings state={entry.after ?? entry.before} other={entry.before} />;
    return fact === undefined ? null : valueOf(fact, (side === 'before' ? was : is)[fact]);
  };
}

interface NamedMapping {
  sku: string;
  variant_code: string;
}
const mappingsOf = (state: AuditEntry['before']): NamedMapping[] => {
  const { mappings } = factsOf(state);
  return Array.isArray(mappings) ? (mappings as NamedMapping[]) : [];
};

/** A single SKU with its item, or the number of SKUs. */
function Mappings({ state, other }: { state: AuditEntry['before']; other: AuditEntry['before'] }) {
  const f = useWords(fields);
  const own = mappingsOf(state);
  const list = own.length > 0 ? own : mappingsOf(other);
  const [only] = list;
  if (only === undefined || list.length > 1) return f.mappings(list.length);
  return (
    <>
      <span className="mono">{only.sku}</span> →{' '}
      <Link to={path`/stock/${only.variant_code}`}>{only.variant_code}</Link>
    </>
  );
}

/** Shows the subject, such as `channel:7`, by name with a link to its page. */
function Subject({ entry: { subject, subject_name } }: { entry: AuditEntry }) {
  const at = subject.indexOf(':');
  const kind = at === -1 ? '' : subject.slice(0, at);
  const rest = subject.slice(at + 1);
  const alerts = useWords(alertWords);
  const known = kind === 'alert_rule' && rest in alerts ? String(alerts[rest as keyof typeof alerts]) : rest;
  const shown = subject_name ?? known;
  const isAdmin = useCan('admin');
  const pages: Record<string, string> = {
    variant: path`/stock/${rest}`,
    product: path`/products/${rest}`,
    channel: path`/channels/${rest}`,
    order: path`/orders/${rest}`,
    exchange_rate: `/exchange-rates?${new URLSearchParams({ currency_code: rest }).toString()}`,
    alert_rule: '/alerts?tab=rules',
    common_code: '/couriers',
    // A deleted webhook has neither a name nor a page.
    ...(subject_name === null ? {} : { webhook: path`/webhooks/${rest}` }),
    ...(isAdmin ? { user: '/users', token: '/tokens' } : {}),
  };
  const to = pages[kind];
  return to === undefined ? <span>{shown}</span> : <Link to={to}>{shown}</Link>;
}
