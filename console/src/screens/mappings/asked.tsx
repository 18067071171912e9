import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useList, useSend, type List } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { del, getPage, path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { ChannelRef, UnmappedSku } from '../../api/types.ts';
import {
  confirm,
  Count,
  DataTable,
  EmptyState,
  SearchInput,
  Time,
  useUrlState,
  type Column,
  NoMatch,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { MAPPING_READERS, MappingDialog, type Subject } from './dialog.tsx';
import { words } from './words.ts';

const OF_EACH_MAX = 100;
const REFRESH_MS = 10_000;

interface AskedRow extends UnmappedSku {
  channel: ChannelRef;
}

/** For one channel, all requests page by page; for all channels, the latest of each channel. */
function useAsked(channels: readonly ChannelRef[], isAll: boolean, search: string): List<AskedRow> {
  const [only] = channels;
  const one = useList(
    isAll || only === undefined ? null : apiPath('/channels/{id}/unmapped', { id: only.id }),
    { search },
    { everyMs: REFRESH_MS },
  );
  const all = useQuery({
    // The key starts with a path prefix that a change of mappings makes stale.
    queryKey: ['/channels/unmapped', { search, ids: channels.map(({ id }) => id) }],
    enabled: isAll,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        channels.map(async (channel) => {
          const query = { search, limit: OF_EACH_MAX };
          const page = await getPage(apiPath('/channels/{id}/unmapped', { id: channel.id }), query, signal);
          return { ...page, data: page.data.map((row) => ({ ...row, channel })) };
        }),
      );
      return {
        rows: pages
          .flatMap(({ data }) => data)
          .toSorted((a, b) => Date.parse(b.last_at) - Date.parse(a.last_at)),
        isCut: pages.some(({ next_cursor }) => next_cursor !== null),
      };
    },
  });
  if (!isAll && only !== undefined)
    return { ...one, rows: one.rows.map((row) => ({ ...row, channel: only })) };
  return {
    rows: all.data?.rows ?? [],
    isLoading: all.isPending,
    isStale: false,
    error: all.error,
    retry: () => void all.refetch(),
    // Shown by the footer: the combined list has no next page to load.
    hasMore: all.data?.isCut ?? false,
    isLoadingMore: false,
    loadMore: () => {},
  };
}

/** Unmapped SKU requests, each with a button to map the SKU. */
export function Asked({ channels, isAll }: { channels: readonly ChannelRef[]; isAll: boolean }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ search: '' });
  const [subject, setSubject] = useState<Subject | null>(null);
  const list = useAsked(channels, isAll, url.search);
  const dismiss = useSend(
    ({ channel, sku }: AskedRow) => del(apiPath('/channels/{id}/unmapped/{sku}', { id: channel.id, sku })),
    { refresh: MAPPING_READERS, done: (_, { sku }) => w.dismissed(sku) },
  );
  const askAndDismiss = async (row: AskedRow) => {
    const question = { title: w.dismissTitle(row.sku), text: w.dismissText, confirm: w.dismissWord };
    if (await confirm(question)) dismiss.mutate(row);
  };

  const columns: Column<AskedRow>[] = [
    { key: 'sku', header: c.sku, primary: true, cell: ({ sku }) => <span className="mono">{sku}</span> },
    ...(isAll
      ? [
          {
            key: 'channel',
            header: c.channel,
            cell: ({ channel }: AskedRow) => <Link to={path`/channels/${channel.id}`}>{channel.name}</Link>,
          },
        ]
      : []),
    { key: 'lookups', header: w.lookups, align: 'right', cell: ({ lookups }) => <Count n={lookups} /> },
    { key: 'orders', header: w.orders, align: 'right', cell: ({ orders }) => <Count n={orders} /> },
    { key: 'first', header: w.firstAt, cell: ({ first_at }) => <Time at={first_at} /> },
    { key: 'last', header: w.lastAt, cell: ({ last_at }) => <Time at={last_at} relative /> },
    ...(canEdit
      ? [
          {
            key: 'actions',
            header: c.actions,
            quiet: true,
            align: 'right' as const,
            width: 130,
            cell: (row: AskedRow) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <Button
                  size="compact-sm"
                  aria-label={w.mapSku(row.sku)}
                  onClick={() => setSubject({ channel: row.channel, sku: row.sku, variant_code: null })}
                >
                  {w.map}
                </Button>
                <Tooltip label={w.dismiss(row.sku)}>
                  <ActionIcon
                    variant="subtle"
                    aria-label={w.dismiss(row.sku)}
                    onClick={() => void askAndDismiss(row)}
                  >
                    <X size={16} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              </Group>
            ),
          },
        ]
      : []),
  ];
  const isCut = isAll && list.hasMore;
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {w.askedText}
      </Text>
      <div className="mappings-bar">
        <SearchInput label={w.searchAsked} w={320} maw="100%" />
      </div>
      <DataTable
        label={w.tabAsked}
        columns={columns}
        rowKey={({ channel, sku }) => `${channel.id} ${sku}`}
        list={isCut ? { ...list, hasMore: false } : list}
        {...(isCut ? { footer: w.firstOnly(format.integer(OF_EACH_MAX)) } : {})}
        empty={
          url.search === '' ? (
            <EmptyState icon={CircleCheck} title={w.nothingAsked} text={w.nothingAskedText} />
          ) : (
            <NoMatch onReset={() => setUrl({ search: '' })} />
          )
        }
      />
      {subject !== null && <MappingDialog subject={subject} onClose={() => setSubject(null)} />}
    </>
  );
}
