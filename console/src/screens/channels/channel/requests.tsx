// The channel's last refused, slow or traced requests, searchable by the request id that its developers quote.
import { Badge, Button, Group, SegmentedControl, Text } from '@mantine/core';
import {
  REQUEST_OUTCOMES,
  type RequestOutcome,
} from '../../../../../src/features/observations/requests-rules.ts';
import { apiPath } from '../../../api/address.ts';
import { useList, useSend } from '../../../api/query.ts';
import { patch } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { Channel, ChannelRequest } from '../../../api/types.ts';
import {
  CopyButton,
  Count,
  DataTable,
  EmptyState,
  NoMatch,
  SearchInput,
  Section,
  Time,
  useUrlState,
  type Column,
} from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { requestWords } from './words.ts';

const HOUR_MS = 60 * 60 * 1000;
const REFRESH_MS = 5_000;
const REQUEST_ID_CHARACTERS_MAX = 64;
const ALL = 'all';
const NO_FILTER = { request_id: '', outcome: ALL };
const COLORS: Record<RequestOutcome, string> = { refused: 'red', slow: 'orange', served: 'gray' };

export function Requests({ channel }: { channel: Channel }) {
  const w = useWords(requestWords);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const outcome = REQUEST_OUTCOMES.find((one) => one === url.outcome) ?? ALL;
  const request_id = url.request_id.trim().slice(0, REQUEST_ID_CHARACTERS_MAX);
  const list = useList(
    apiPath('/channels/{id}/requests', { id: channel.id }),
    { outcome, ...(request_id === '' ? {} : { request_id }) },
    // Polled only while the channel is traced, because new requests arrive then.
    channel.trace_until === null ? {} : { everyMs: REFRESH_MS },
  );
  const isFiltered = request_id !== '' || outcome !== ALL;
  return (
    <Section id="channel-requests" title={w.title} text={w.hint} action={<Trace channel={channel} />} mt="md">
      <Group mb="sm" align="flex-end">
        <SearchInput
          isLabelled
          name="request_id"
          label={w.search}
          maxLength={REQUEST_ID_CHARACTERS_MAX}
          w={340}
          maw="100%"
        />
        <SegmentedControl
          aria-label={w.outcome}
          data={([ALL, ...REQUEST_OUTCOMES] as const).map((value) => ({ value, label: w[value] }))}
          value={outcome}
          onChange={(value) => setUrl({ outcome: value })}
        />
      </Group>
      <DataTable
        label={w.title}
        columns={useColumns()}
        rowKey={({ id }) => id}
        list={list}
        empty={
          isFiltered ? (
            <NoMatch onReset={() => setUrl(NO_FILTER)} />
          ) : (
            <EmptyState title={w.empty} text={w.emptyText} />
          )
        }
      />
    </Section>
  );
}

/** All users see until when the trace runs; only administrators start and stop it. */
function Trace({ channel: { id, trace_until } }: { channel: Channel }) {
  const w = useWords(requestWords);
  const format = useFormat();
  const canEdit = useCan('admin');
  const send = useSend(
    (until: string | null) => patch(apiPath('/channels/{id}', { id }), { trace_until: until }),
    { refresh: ['/channels'], done: (saved) => (saved.trace_until === null ? w.traceStopped : w.traceBegun) },
  );
  return (
    <Group gap="sm">
      {trace_until !== null && <Text size="sm">{w.tracedUntil(format.dateTime(trace_until))}</Text>}
      {canEdit &&
        (trace_until === null ? (
          <Button
            variant="default"
            loading={send.isPending}
            onClick={() => send.mutate(new Date(Date.now() + HOUR_MS).toISOString())}
          >
            {w.trace}
          </Button>
        ) : (
          <Button variant="default" loading={send.isPending} onClick={() => send.mutate(null)}>
            {w.stopTrace}
          </Button>
        ))}
    </Group>
  );
}

function useColumns(): Column<ChannelRequest>[] {
  const w = useWords(requestWords);
  return [
    {
      key: 'at',
      header: w.atAndAddress,
      cell: ({ at, address }) => (
        <>
          <Time at={at} />
          <Text size="xs" c="dimmed">
            {address}
          </Text>
        </>
      ),
    },
    {
      key: 'route',
      header: w.route,
      primary: true,
      cell: ({ method, route, request_id }) => (
        <>
          {method} {route}
          <Group gap={4} wrap="nowrap">
            <Text component="code" size="xs" c="dimmed">
              {request_id}
            </Text>
            <CopyButton text={request_id} label={`${w.copy}: ${request_id}`} />
          </Group>
        </>
      ),
    },
    {
      key: 'outcome',
      header: w.outcome,
      cell: ({ outcome, status, code }) => (
        <Group gap={6} wrap="nowrap">
          <Badge color={COLORS[outcome]} style={{ flex: 'none' }}>
            {w[outcome]}
          </Badge>
          <span>{code === null ? status : `${status} ${code}`}</span>
        </Group>
      ),
    },
    {
      key: 'about',
      header: w.about,
      cell: ({ order_number, sku }) => [order_number, sku].filter((text) => text !== null).join(' · ') || '–',
    },
    { key: 'ms', header: w.ms, align: 'right', cell: ({ ms }) => <Count n={ms} /> },
  ];
}
