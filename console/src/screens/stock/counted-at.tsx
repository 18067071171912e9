// The time of a count, if it was not taken just now: for one item and for a list.
import { TextInput } from '@mantine/core';
import type { Form } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { instantInZone } from '../../i18n/intl.ts';
import { useWords } from '../../i18n/words.ts';
import { bulkWords } from './words.ts';

/** Empty means now; then no time is sent. */
export function useCountedAt() {
  const w = useWords(bulkWords);
  const { zone } = useFormat();
  return {
    sent: (text: string) => (text.trim() === '' ? {} : { counted_at: instantInZone(text.trim(), zone) }),
    fault: (text: string) => {
      if (text.trim() === '') return {};
      const at = instantInZone(text.trim(), zone);
      return at !== null && Date.parse(at) <= Date.now() ? {} : { counted_at: w.wrongTime };
    },
  };
}

export function CountedAtField(props: ReturnType<Form<{ counted_at: string }>['text']>) {
  const w = useWords(bulkWords);
  const c = useWords(common);
  const { zone } = useFormat();
  return (
    <TextInput
      label={`${w.countedAt} (${c.optional})`}
      description={w.countedHint(zone)}
      placeholder="2026-11-15 09:30"
      autoComplete="off"
      {...props}
    />
  );
}
