import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { PREPAYMENT_EXPIRY_MINUTES_MAX } from '../../../../../src/core/rules/prepayment-expiry.ts';
import {
  NAME_CHARACTERS_MAX,
  ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
} from '../../../../../src/platform/values/text-limits.ts';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { patch } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { Channel } from '../../../api/types.ts';
import { Problem, Section, useForm, wholeNumber } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { CountrySelect, NO_COUNTRY } from '../country.tsx';
import { settingsOf, useApiUrlHint, useSettingsCheck } from '../create-dialog.tsx';
import { fieldWords } from '../words.ts';
import { COUNTRY_FIELD } from './checklist.tsx';
import { words } from './words.ts';

const formOf = ({
  name,
  country_code,
  api_url,
  order_number_prefix,
  prepayment_expiry_minutes,
}: Channel) => ({
  name,
  country_code: country_code ?? NO_COUNTRY,
  api_url: api_url ?? '',
  order_number_prefix: order_number_prefix ?? '',
  prepayment_expiry_minutes: String(prepayment_expiry_minutes ?? ''),
});
type SettingsForm = ReturnType<typeof formOf>;

/** null: empty, or not a valid number. */
const minutesOf = ({ prepayment_expiry_minutes }: SettingsForm): number | null =>
  wholeNumber(prepayment_expiry_minutes, 1, PREPAYMENT_EXPIRY_MINUTES_MAX);

/** Only the differences from `before`, so that changes by other users are preserved. */
function changesOf(before: SettingsForm, now: SettingsForm): Partial<Channel> {
  const prepayment_expiry_minutes = minutesOf(now);
  const settings = Object.entries({ ...settingsOf(now), prepayment_expiry_minutes });
  return Object.fromEntries(
    settings.filter(([name]) => before[name as keyof SettingsForm] !== now[name as keyof SettingsForm]),
  );
}

export function Settings({ channel }: { channel: Channel }) {
  const w = useWords(words);
  const f = useWords(fieldWords);
  const c = useWords(common);
  const canEdit = useCan('admin');
  const save = useSend(
    (changes: Partial<Channel>) => patch(apiPath('/channels/{id}', { id: channel.id }), changes),
    {
      refresh: ['/channels', '/overview', '/exchange-rates'],
      failure: 'inline',
      done: ({ name }) => w.saved(name),
      onDone: (saved) => form.saved(formOf(saved)),
    },
  );
  const check = useSettingsCheck();
  const form = useForm(formOf(channel), {
    error: save.error,
    check: (values: SettingsForm) => ({
      ...check(values),
      ...(values.prepayment_expiry_minutes.trim() !== '' && minutesOf(values) === null
        ? { prepayment_expiry_minutes: f.expiryInvalid(PREPAYMENT_EXPIRY_MINUTES_MAX) }
        : {}),
    }),
  });
  const seen = useRef(channel);
  useEffect(() => {
    if (seen.current === channel) return;
    seen.current = channel;
    // Saved by another user: shown immediately, unless the user is typing.
    if (!form.isDirty) form.reset(formOf(channel));
  });
  const apiUrlHint = useApiUrlHint(form.values.api_url);
  return (
    <Section id="channel-settings" title={w.settings}>
      <form onSubmit={form.submit((values) => save.mutate(changesOf(form.start, values)))} noValidate>
        <Stack gap="sm">
          <TextInput
            label={c.name}
            maxLength={NAME_CHARACTERS_MAX}
            readOnly={!canEdit}
            autoComplete="off"
            {...form.text('name')}
          />
          <CountrySelect readOnly={!canEdit} id={COUNTRY_FIELD} {...form.choice('country_code')} />
          <TextInput
            label={f.apiUrl}
            description={apiUrlHint}
            type="url"
            placeholder="https://"
            readOnly={!canEdit}
            autoComplete="off"
            {...form.text('api_url')}
          />
          <TextInput
            label={f.prefix}
            description={f.prefixHint}
            maxLength={ORDER_NUMBER_PREFIX_CHARACTERS_MAX}
            readOnly={!canEdit}
            autoComplete="off"
            {...form.text('order_number_prefix')}
          />
          <TextInput
            label={f.expiry}
            description={f.expiryHint}
            inputMode="numeric"
            readOnly={!canEdit}
            autoComplete="off"
            {...form.text('prepayment_expiry_minutes')}
          />
          <Problem error={save.error} except={form.names} />
          {canEdit && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!form.isDirty}>
                {c.save}
              </Button>
              {form.isDirty && (
                <Button variant="default" onClick={() => form.reset()}>
                  {w.discard}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  );
}
