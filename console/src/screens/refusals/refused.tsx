import { Badge, Button, Group, Switch } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { apiPath } from '../../api/address.ts';
import { useList } from '../../api/query.ts';
import { del, path } from '../../api/request.ts';
import type { RefusedOrder } from '../../api/types.ts';
import { LinkButton, SearchInput, Time, useUrlState, type Column } from '../../components/index.ts';
import { DateRange } from '../../components/date-range.tsx';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { REASONS, useReasons } from '../../i18n/reasons.ts';
import { useWords } from '../../i18n/words.ts';
import { MappingDialog, type Subject } from '../mappings/dialog.tsx';
import { ChannelChoice, Choice } from '../../components/choice.tsx';
import { words } from './words.ts';
import { useActionColumn, Worklist } from './worklist.tsx';

const REFRESH_MS = 10_000;
const NO_FILTER = { channel_id: '', reason: '', search: '', from: '', to: '', accepted: '' };

export function Refused() {
  const w = useWords(words);
  const reasons = useReasons();
  const [url, setUrl] = useUrlState(NO_FILTER);
  const [subject, setSubject] = useState<Subject | null>(null);
  const { accepted, ...filter } = url;
  const list = useList(
    '/refusals',
    { ...filter, ...(accepted === '' ? { accepted: false } : {}) },
    { everyMs: REFRESH_MS },
  );
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const columns = useColumns(setSubject);
  return (
    <>
      <div className="filters">
        <SearchInput isLabelled label={w.search} w={220} />
        <ChannelChoice value={url.channel_id} onChange={(channel_id) => setUrl({ channel_id })} />
        <Choice
          label={w.reason}
          placeholder={w.allReasons}
          data={REASONS.map((reason) => ({ value: reason, label: reasons(reason).name }))}
          value={url.reason}
          onChange={(reason) => setUrl({ reason })}
        />
        <DateRange label={w.days} placeholder={w.anyDay} from={url.from} to={url.to} onChange={setUrl} />
        <Switch
          label={w.showAccepted}
          checked={accepted !== ''}
          onChange={({ currentTarget }) => setUrl({ accepted: currentTarget.checked ? '1' : '' })}
          pb={8}
        />
      </div>
      <Worklist
        label={w.title}
        columns={columns}
        list={list}
        isFiltered={isFiltered}
        onReset={() => setUrl(NO_FILTER)}
        empty={{ title: w.empty, text: w.emptyText }}
      />
      {subject !== null && <MappingDialog subject={subject} onClose={() => setSubject(null)} />}
    </>
  );
}

function useColumns(onMap: (subject: Subject) => void): Column<RefusedOrder>[] {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const actions = useActionColumn(({ id }: RefusedOrder) => del(apiPath('/refusals/{id}', { id })), {
    refresh: '/refusals',
    others: (row) => <Remedy row={row} onMap={onMap} />,
  });
  return [
    {
      key: 'number',
      header: w.numberAndChannel,
      primary: true,
      cell: ({ order_number, is_backorder, channel_id, channel_name }) => (
        <span className="refusals-two">
          <Group gap={6}>
            <span className="mono">{order_number}</span>
            {is_backorder && <Badge color="orange">{c.backorder}</Badge>}
          </Group>
          <small>
            <Link to={path`/channels/${channel_id}`}>{channel_name}</Link>
          </small>
        </span>
      ),
    },
    { key: 'sku', header: w.sku, cell: ({ sku }) => sku !== null && <span className="mono">{sku}</span> },
    { key: 'reason', header: w.reason, cell: (row) => <Reason of={row} /> },
    { key: 'now', header: w.now, cell: (row) => <Now row={row} /> },
    {
      key: 'last',
      header: w.last,
      cell: ({ at, count }) => (
        <span className="refusals-two">
          <Time at={at} relative />
          {count > 1 && <small>{w.timesN(format.integer(count))}</small>}
        </span>
      ),
    },
    ...actions,
  ];
}

/** Whether the order would be accepted now. */
function Now({ row }: { row: RefusedOrder }) {
  const w = useWords(words);
  const { order_id, fits_now, blocked_by } = row;
  if (order_id !== null) return <Link to={path`/orders/${order_id}`}>{w.acceptedSince}</Link>;
  if (fits_now === true) return <Badge color="water">{w.fitsNow}</Badge>;
  if (blocked_by === null) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>{w.unknown}</span>;
  return <Reason of={blocked_by} />;
}

/** The reason, with the requested and the available quantity. */
function Reason({ of }: { of: NonNullable<RefusedOrder['blocked_by']> | RefusedOrder }) {
  const w = useWords(words);
  const format = useFormat();
  const reasons = useReasons();
  const { reason, requested, available } = of;
  const field = 'field' in of ? of.field : null;
  return (
    <span className="refusals-two">
      <span>{reasons(reason).name}</span>
      {field !== null && <small className="mono">{w.fieldAtFault(field)}</small>}
      {requested !== null && (
        <small className="num">
          {available === null
            ? w.requested(format.integer(requested))
            : w.both(format.integer(requested), format.integer(available))}
        </small>
      )}
    </span>
  );
}

/** The next step towards accepting the order, with the values filled in. */
function Remedy({ row, onMap }: { row: RefusedOrder; onMap: (subject: Subject) => void }) {
  const w = useWords(words);
  const { channel_id, channel_name, blocked_by } = row;
  if (blocked_by === null) return null;
  const { reason, sku, variant_code } = blocked_by;
  if (reason === 'sku_unmapped' && sku !== null)
    return (
      <Button
        size="compact-sm"
        aria-label={w.mapSku(sku)}
        onClick={() => onMap({ channel: { id: channel_id, name: channel_name }, sku, variant_code: null })}
      >
        {w.map}
      </Button>
    );
  if (reason === 'channel_inactive')
    return <LinkButton size="compact-sm" to={path`/channels/${channel_id}`} label={w.openChannel} />;
  if (variant_code === null) return null;
  const stock = path`/stock/${variant_code}`;
  if (reason === 'stock_missing') return <LinkButton size="compact-sm" to={stock} label={w.createStock} />;
  const query = new URLSearchParams({ channel: String(channel_id), search: variant_code });
  const allocations = `/allocations?${query.toString()}`;
  if (reason === 'quota_insufficient')
    return <LinkButton size="compact-sm" to={allocations} label={w.quota} />;
  return (
    <>
      <LinkButton size="compact-sm" to={stock} label={w.changeStock} />
      <LinkButton size="compact-sm" to={allocations} label={w.allocate} />
    </>
  );
}
