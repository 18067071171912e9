import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { apiPath } from '../../api/address.ts';
import { useList } from '../../api/query.ts';
import { del, path } from '../../api/request.ts';
import type { LateReport } from '../../api/types.ts';
import {
  Count,
  OrderLink,
  SearchInput,
  StatusBadge,
  Time,
  useStatusName,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { ChannelChoice, Choice } from '../../components/choice.tsx';
import { words } from './words.ts';
import { useActionColumn, Worklist } from './worklist.tsx';

const REFRESH_MS = 10_000;
const NO_FILTER = { channel_id: '', kind: '', search: '' };
type Kind = LateReport['kind'];
const KINDS: readonly Kind[] = [
  'report_after_cancel',
  'resend_after_cancel',
  'cancel_after_ship',
  'report_unknown',
];

/** Payments, resends and cancellations that came too late. */
export function Late() {
  const w = useWords(words);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const kind = KINDS.find((one) => one === url.kind);
  const list = useList(
    '/late-reports',
    { channel_id: url.channel_id, search: url.search, kind },
    { everyMs: REFRESH_MS },
  );
  const columns = useColumns();
  const isFiltered = Object.values(url).some((value) => value !== '');
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {w.lateText}
      </Text>
      <div className="filters">
        <SearchInput isLabelled label={w.searchLate} w={220} />
        <ChannelChoice value={url.channel_id} onChange={(channel_id) => setUrl({ channel_id })} />
        <Choice
          label={w.kind}
          placeholder={w.allKinds}
          data={KINDS.map((one) => ({ value: one, label: w[one] }))}
          value={kind ?? ''}
          onChange={(value) => setUrl({ kind: value })}
        />
      </div>
      <Worklist
        label={w.tabLate}
        columns={columns}
        list={list}
        isFiltered={isFiltered}
        onReset={() => setUrl(NO_FILTER)}
        empty={{ title: w.emptyLate, text: w.emptyLateText }}
      />
    </>
  );
}

function useColumns(): Column<LateReport>[] {
  const w = useWords(words);
  const c = useWords(common);
  const actions = useActionColumn(({ id }: LateReport) => del(apiPath('/late-reports/{id}', { id })), {
    refresh: '/late-reports',
  });
  return [
    {
      key: 'number',
      header: w.number,
      primary: true,
      cell: ({ order_id, order_number }) => <OrderLink id={order_id} number={order_number} />,
    },
    {
      key: 'channel',
      header: c.channel,
      cell: ({ channel_id, channel_name }) => <Link to={path`/channels/${channel_id}`}>{channel_name}</Link>,
    },
    { key: 'kind', header: w.kind, cell: (row) => <What row={row} /> },
    {
      key: 'status',
      header: w.status,
      cell: ({ status }) => status !== null && <StatusBadge status={status} />,
    },
    { key: 'times', header: w.times, align: 'right', cell: ({ count }) => <Count n={count} /> },
    { key: 'last', header: w.lastLate, cell: ({ at }) => <Time at={at} relative /> },
    ...actions,
  ];
}

function What({ row: { kind, requested_status, expired } }: { row: LateReport }) {
  const w = useWords(words);
  const name = useStatusName();
  const text = w[`${kind}_text`];
  const status = requested_status === null ? '' : name(requested_status);
  return (
    <span className="refusals-two">
      <span>{w[kind]}</span>
      <small>{typeof text === 'string' ? text : text(status)}</small>
      {expired && <small>{w.expired}</small>}
    </span>
  );
}
