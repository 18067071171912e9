// The settings of the rate source. The stored key is never shown; an empty field keeps it.
import { Checkbox, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { showAnswer, useSend } from '../../api/query.ts';
import { get, put } from '../../api/request.ts';
import type { RateSource } from '../../api/types.ts';
import {
  Dialog,
  DialogButtons,
  NumberField,
  PasswordField,
  Problem,
  useForm,
  wholeNumber,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { useCurrencies } from './add-dialog.tsx';
import { kindHintWords, kindWords, sourceWords } from './source-words.ts';

type Kind = RateSource['kind'];
const KINDS: readonly Kind[] = ['none', 'ecb', 'koreaexim', 'json'];
const MINUTES = { min: 5, max: 10_080 };
const UNITS = { min: 1, max: 1_000_000 };

const formOf = (source: RateSource) => ({
  kind: source.kind as string,
  url: source.url ?? '',
  api_key: '',
  every_minutes: String(source.every_minutes),
  path: source.path ?? '',
  per_units: String(source.per_units),
  is_inverted: source.is_inverted,
});
type SourceForm = ReturnType<typeof formOf>;

/** The settings without the runs, to compare them. */
const textOf = (source: RateSource): string => JSON.stringify([formOf(source), source.currencies]);

const settingsOf = (values: SourceForm, currencies: string[]) => ({
  kind: values.kind as Kind,
  url: values.url.trim() || null,
  ...(values.api_key === '' ? {} : { api_key: values.api_key }),
  currencies,
  every_minutes: wholeNumber(values.every_minutes),
  ...(values.kind === 'json'
    ? { path: values.path.trim(), per_units: wholeNumber(values.per_units), is_inverted: values.is_inverted }
    : {}),
});

interface SourceDialogProps {
  source: RateSource;
  touched: string[];
  onClose: () => void;
}

export function SourceDialog({ source, touched, onClose }: SourceDialogProps) {
  const w = useWords(sourceWords);
  const kinds = useWords(kindWords);
  const hints = useWords(kindHintWords);
  const c = useWords(common);
  const options = useCurrencies();
  const [start] = useState(source);
  const [currencies, setCurrencies] = useState(start.currencies);
  const save = useSend(
    async (values: SourceForm) => {
      // Settings belong together (a key to its address, a path to its units): those of two users are not mixed.
      const now = await get('/exchange-rate-source');
      if (textOf(now) !== textOf(start)) {
        showAnswer('/exchange-rate-source', now);
        throw new ApiError(409, w.overtaken);
      }
      return put('/exchange-rate-source', settingsOf(values, currencies));
    },
    {
      refresh: touched,
      failure: 'inline',
      done: w.saved,
      onDone: () => {
        form.saved();
        onClose();
      },
    },
  );
  const form = useForm(formOf(start), { error: save.error });
  const kind = form.values.kind as Kind;
  const isOn = kind !== 'none';
  const needsKey = kind === 'koreaexim' || kind === 'json';
  const isDirty = form.isDirty || currencies.join() !== start.currencies.join();
  return (
    <Dialog isDirty={isDirty} onClose={onClose} title={w.settings}>
      <form onSubmit={form.submit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          <Select
            label={w.kind}
            description={hints[kind]}
            data={KINDS.map((value) => ({ value, label: kinds[value] }))}
            allowDeselect={false}
            data-autofocus
            {...form.choice('kind')}
          />
          {isOn && (
            <MultiSelect
              label={w.currencies}
              data={options.options}
              searchable
              value={currencies}
              onChange={setCurrencies}
            />
          )}
          <Problem error={options.error} />
          {isOn && (
            <TextInput
              label={kind === 'json' ? w.url : `${w.url} (${c.optional})`}
              description={kind === 'json' ? w.urlJson : w.urlHint}
              placeholder={source.kind === kind ? (source.usual_url ?? 'https://') : 'https://'}
              autoComplete="off"
              spellCheck={false}
              {...form.text('url')}
            />
          )}
          {needsKey && (
            <PasswordField
              label={kind === 'json' ? `${w.apiKey} (${c.optional})` : w.apiKey}
              description={source.has_api_key ? w.apiKeyStored : w.apiKeyHint}
              autoComplete="off"
              {...form.text('api_key')}
            />
          )}
          {kind === 'json' && (
            <>
              <TextInput
                label={w.path}
                description={w.pathHint}
                placeholder="rates.{currency}"
                spellCheck={false}
                {...form.text('path')}
              />
              <NumberField
                label={w.perUnits}
                description={w.perUnitsHint}
                {...UNITS}
                {...form.text('per_units')}
              />
              <Checkbox label={w.inverted} description={w.invertedHint} {...form.flag('is_inverted')} />
            </>
          )}
          {isOn && (
            <NumberField
              label={w.everyMinutes}
              description={w.everyMinutesHint}
              {...MINUTES}
              {...form.text('every_minutes')}
            />
          )}
          <Problem error={save.error} except={form.names} />
          <DialogButtons submit={c.save} isSending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
