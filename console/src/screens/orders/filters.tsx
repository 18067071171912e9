import { Button, MultiSelect, Select } from '@mantine/core';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useAll } from '../../api/query.ts';
import type { OrderStatus } from '../../api/types.ts';
import { ORDER_STATUSES, SearchInput, useNarrow, useStatusName } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { DateRange } from '../../components/date-range.tsx';
import { SEARCH_CHARACTERS_MAX, searchedTexts } from '../../../../src/core/orders/search-rules.ts';
import { words } from './words.ts';

/** The filters in the URL; `status` is comma-separated. */
export const NO_FILTER = {
  search: '',
  channel_id: '',
  status: '',
  order_number: '',
  from: '',
  to: '',
  sort: '',
};
export type Filter = typeof NO_FILTER;

const statusesOf = (text: string): OrderStatus[] =>
  ORDER_STATUSES.filter((status) => text.split(',').includes(String(status)));

/** The query for the service: a search that is too short is not sent. */
export const queryOf = ({ search, channel_id, status, order_number, from, to }: Filter) => ({
  search: searchedTexts(search) === null ? '' : search,
  channel_id,
  status: statusesOf(status).join(','),
  order_number,
  from,
  to,
});

interface FiltersProps {
  url: Filter;
  isFiltered: boolean;
  onChange: (change: Partial<Filter>) => void;
}

export function Filters({ url, isFiltered, onChange }: FiltersProps) {
  const w = useWords(words);
  const c = useWords(common);
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const count = [url.channel_id, url.status, url.from + url.to, url.order_number].filter(
    (value) => value !== '',
  ).length;
  const isTooShort = url.search.trim() !== '' && searchedTexts(url.search) === null;
  return (
    <div className="filters orders-filters">
      <SearchInput
        label={w.search}
        className="orders-search"
        maxLength={SEARCH_CHARACTERS_MAX}
        description={isTooShort ? w.searchTooShort : undefined}
        inputWrapperOrder={['input', 'description']}
      />
      {isNarrow && (
        <Button
          variant="default"
          leftSection={<SlidersHorizontal size={15} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {w.filters(count)}
        </Button>
      )}
      {(!isNarrow || isOpen) && <MoreFilters url={url} onChange={onChange} />}
      {isFiltered && (!isNarrow || isOpen) && (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTER, sort: url.sort })}>
          {c.resetFilters}
        </Button>
      )}
    </div>
  );
}

function MoreFilters({ url, onChange }: Omit<FiltersProps, 'isFiltered'>) {
  const w = useWords(words);
  const c = useWords(common);
  const name = useStatusName();
  const channels = useAll('/channels');
  const statuses = statusesOf(url.status).map(String);
  return (
    <>
      <Select
        aria-label={c.channel}
        placeholder={c.allChannels}
        data={channels.data?.map((channel) => ({ value: String(channel.id), label: channel.name })) ?? []}
        value={url.channel_id === '' ? null : url.channel_id}
        onChange={(value) => onChange({ channel_id: value ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
        w={170}
      />
      <MultiSelect
        className="orders-statuses"
        aria-label={c.status}
        placeholder={statuses.length === 0 ? w.allStatuses : ''}
        data={ORDER_STATUSES.map((status) => ({ value: String(status), label: name(status) }))}
        value={statuses}
        onChange={(values) => onChange({ status: statusesOf(values.join(',')).join(',') })}
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
      />
      <DateRange placeholder={w.anyDay} from={url.from} to={url.to} onChange={onChange} />
    </>
  );
}
