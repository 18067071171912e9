import { Switch, TextInput } from '@mantine/core';
import {
  NAME_CHARACTERS_MAX,
  ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
} from '../../../../src/platform/values/text-limits.ts';
import { checkHttpUrl } from '../../../../src/platform/values/http-url.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { ChannelWithKey } from '../../api/types.ts';
import { Problem, useForm, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { CountrySelect, NO_COUNTRY } from './country.tsx';
import { fieldWords, words } from './words.ts';

interface ChannelForm {
  name: string;
  country_code: string | null;
  api_url: string;
  order_number_prefix: string;
  is_active: boolean;
}

/** In the format of the API: empty values are null. */
export const settingsOf = ({
  name,
  country_code,
  api_url,
  order_number_prefix,
}: Omit<ChannelForm, 'is_active'>) => ({
  name: name.trim(),
  country_code: country_code === NO_COUNTRY ? null : country_code,
  api_url: api_url.trim() === '' ? null : api_url.trim(),
  order_number_prefix: order_number_prefix.trim() === '' ? null : order_number_prefix.trim(),
});

/** Validates the fields, with messages in the language of the page. The service validates them again. */
export function useSettingsCheck() {
  const f = useWords(fieldWords);
  const c = useWords(common);
  return ({ name, api_url }: { name: string; api_url: string }) => {
    const typed = api_url.trim();
    const url = checkHttpUrl(typed);
    const fault = url.ok || typed === '' ? null : url.fault.kind;
    return {
      ...(name.trim() === '' ? { name: c.required } : {}),
      ...(fault === null ? {} : { api_url: fault === 'has_credentials' ? f.apiUrlSecret : f.apiUrlWrong }),
    };
  };
}

const PLAIN = /^\s*http:\/\//iu;

/** Text below the field: what the URL is for, or a warning that it is not safe. */
export function useApiUrlHint(typed: string): string {
  const f = useWords(fieldWords);
  return PLAIN.test(typed) ? f.apiUrlPlain : f.apiUrlHint;
}

interface CreateDialogProps {
  onClose: () => void;
  onMade: (channel: ChannelWithKey) => void;
}

export function CreateDialog({ onClose, onMade }: CreateDialogProps) {
  const w = useWords(words);
  const f = useWords(fieldWords);
  const c = useWords(common);
  const save = useSend(
    (values: ChannelForm) => post('/channels', { ...settingsOf(values), is_active: values.is_active }),
    { refresh: ['/channels', '/overview', '/exchange-rates'], failure: 'inline', onDone: onMade },
  );
  const form = useForm<ChannelForm>(
    { name: '', country_code: null, api_url: '', order_number_prefix: '', is_active: true },
    { error: save.error, check: useSettingsCheck() },
  );
  const apiUrlHint = useApiUrlHint(form.values.api_url);
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.add}
      onSubmit={form.submit((values) => save.mutate(values))}
      submit={c.create}
      isSending={save.isPending}
    >
      <TextInput
        label={c.name}
        description={f.nameHint}
        maxLength={NAME_CHARACTERS_MAX}
        autoComplete="off"
        data-autofocus
        {...form.text('name')}
      />
      <CountrySelect {...form.choice('country_code')} />
      <TextInput
        label={`${f.apiUrl} (${c.optional})`}
        description={apiUrlHint}
        type="url"
        placeholder="https://"
        autoComplete="off"
        {...form.text('api_url')}
      />
      <TextInput
        label={`${f.prefix} (${c.optional})`}
        description={f.prefixHint}
        maxLength={ORDER_NUMBER_PREFIX_CHARACTERS_MAX}
        autoComplete="off"
        {...form.text('order_number_prefix')}
      />
      <Switch label={c.active} description={f.isActiveHint} {...form.flag('is_active')} />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
