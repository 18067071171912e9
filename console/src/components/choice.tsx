import { Select } from '@mantine/core';
import { useAll } from '../api/query.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

interface ChoiceProps {
  label: string;
  placeholder: string;
  data: { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
}

/** Selects one entry of a list, or all of them. */
export function Choice({ label, placeholder, data, value, onChange }: ChoiceProps) {
  const c = useWords(common);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={data}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': c.clear }}
      w={220}
    />
  );
}

export function ChannelChoice({ value, onChange }: Pick<ChoiceProps, 'value' | 'onChange'>) {
  const c = useWords(common);
  const channels = useAll('/channels');
  const data = channels.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? [];
  return (
    <Choice label={c.channel} placeholder={c.allChannels} data={data} value={value} onChange={onChange} />
  );
}
