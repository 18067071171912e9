import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAll } from '../../api/query.ts';
import type { OrderStatus } from '../../api/types.ts';
import { ORDER_STATUSES, SearchInput, useStatusName } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

/** In the address; `status` is a list with commas. */
export const NO_FILTER = { channel_id: '', status: '', order_number: '', from: '', to: '' };
type Filter = typeof NO_FILTER;

export const statusesOf = (text: string): OrderStatus[] =>
  ORDER_STATUSES.filter((status) => text.split(',').includes(String(status)));

interface FiltersProps {
  url: Filter;
  isFiltered: boolean;
  onChange: (change: Partial<Filter>) => void;
}

export function Filters({ url, isFiltered, onChange }: FiltersProps) {
  const w = useWords(words);
  const c = useWords(common);
  const name = useStatusName();
  const channels = useAll('/channels');
  const statuses = statusesOf(url.status).map(String);
  return (
    <div className="filters">
      <SearchInput isLabelled name="order_number" label={w.number} placeholder={w.numberHint} w={170} />
      <Select
        label={c.channel}
        placeholder={w.allChannels}
        data={channels.data?.map((channel) => ({ value: String(channel.id), label: channel.name })) ?? []}
        value={url.channel_id === '' ? null : url.channel_id}
        onChange={(value) => onChange({ channel_id: value ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
        w={180}
      />
      <MultiSelect
        className="orders-statuses"
        label={c.status}
        placeholder={statuses.length === 0 ? w.allStatuses : ''}
        data={ORDER_STATUSES.map((status) => ({ value: String(status), label: name(status) }))}
        value={statuses}
        onChange={(values) => onChange({ status: statusesOf(values.join(',')).join(',') })}
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
      />
      <DateFilter label={w.from} value={url.from} max={url.to} onChange={(from) => onChange({ from })} />
      <DateFilter label={w.to} value={url.to} min={url.from} onChange={(to) => onChange({ to })} />
      {isFiltered && (
        <Button variant="default" onClick={() => onChange(NO_FILTER)}>
          {c.resetFilters}
        </Button>
      )}
    </div>
  );
}

interface DateProps {
  label: string;
  value: string;
  min?: string;
  max?: string;
  onChange: (value: string) => void;
}

/** A day of the configured zone. While a year is typed it is 0002, then 0020: nothing to ask the service for. */
function DateFilter({ label, value, min, max, onChange }: DateProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <TextInput
      type="date"
      label={label}
      value={typed}
      min={min}
      max={max === undefined || max === '' ? '9998-12-31' : max}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        if (currentTarget.value === '' || /^(19[7-9]|[2-8]\d\d)\d-/.test(currentTarget.value)) {
          onChange(currentTarget.value);
        }
      }}
    />
  );
}
