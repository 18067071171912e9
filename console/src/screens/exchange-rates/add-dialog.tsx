import { Select, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useGet, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { del, post } from '../../api/request.ts';
import type { CurrentRates } from '../../api/types.ts';
import { Problem, useForm, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { instantInZone } from '../../i18n/intl.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useWords } from '../../i18n/words.ts';
import { useAskRate } from './ask-rate.ts';
import { isFarOff, isRate } from './rate.ts';
import { words } from './words.ts';

const BASE = 'KRW';
const YEAR = /^(19[7-9]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-/;

interface Values {
  currency_code: string;
  rate: string;
  effective_at: string;
}

interface AddProps {
  currency: string;
  rates: CurrentRates['rates'];
  onAdded: (currency: string) => void;
  onClose: () => void;
}

export function AddDialog({ currency, rates, onAdded, onClose }: AddProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const currencies = useCurrencies();
  const askRate = useAskRate();
  const save = useSend(
    ({ currency_code, rate, effective_at }: Values) =>
      post('/exchange-rates', {
        currency_code,
        rate,
        ...(effective_at === '' ? {} : { effective_at: instantInZone(effective_at, format.zone) }),
      }),
    {
      refresh: ['/exchange-rates', '/channels', '/overview', '/audit'],
      failure: 'inline',
      done: (made) => w.saved(made.currency_code),
      undo:
        ({ id }) =>
        () =>
          del(apiPath('/exchange-rates/{id}', { id })),
      onDone: (made) => {
        form.saved();
        onAdded(made.currency_code);
        onClose();
      },
    },
  );
  const isTime = (text: string) =>
    text === '' || (YEAR.test(text) && instantInZone(text, format.zone) !== null);
  const form = useForm<Values>(
    { currency_code: currency, rate: '', effective_at: '' },
    {
      error: save.error,
      check: ({ currency_code, rate, effective_at }) => ({
        ...(currency_code === '' ? { currency_code: c.required } : {}),
        ...(rate.trim() === '' ? { rate: c.required } : isRate(rate.trim()) ? {} : { rate: w.wrongRate }),
        ...(isTime(effective_at.trim()) ? {} : { effective_at: w.wrongTime }),
      }),
    },
  );
  const { currency_code, rate } = form.values;
  const typed = rate.trim();
  const inForce = rates.find((one) => one.currency_code === currency_code)?.rate;
  const isFar = inForce !== undefined && isRate(typed) && isFarOff(typed, inForce);
  const askAndSave = async (values: Values) => {
    if (isFar && !(await askRate(currency_code, inForce, typed))) return;
    save.mutate({ ...values, rate: typed, effective_at: values.effective_at.trim() });
  };
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.add}
      onSubmit={form.submit((values) => void askAndSave(values))}
      submit={c.add}
      isSending={save.isPending}
    >
      <Select
        label={w.currency}
        data={currencies.options}
        searchable
        {...(currency === '' ? { 'data-autofocus': true } : {})}
        {...form.choice('currency_code')}
      />
      <Problem error={currencies.error} />
      <TextInput
        label={w.rate}
        description={w.rateHint}
        inputMode="decimal"
        autoComplete="off"
        {...(currency === '' ? {} : { 'data-autofocus': true })}
        {...form.text('rate')}
      />
      {isRate(typed) && currency_code !== '' && (
        <Text size="sm" className="num" role="status">
          {w.rateIs(currency_code, format.money(typed, BASE))}
          {isFar && <span className="rates-far">{w.farOff(format.decimal(inForce))}</span>}
        </Text>
      )}
      <TextInput
        label={`${w.effective} (${c.optional})`}
        description={w.effectiveHint(format.zone)}
        placeholder="2026-11-15 09:30"
        autoComplete="off"
        {...form.text('effective_at')}
      />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}

/** The currencies of all countries that a channel can have, with names; without the base currency, which needs no rate. */
export function useCurrencies() {
  const lang = useLanguage();
  const countries = useGet('/countries');
  const options = useMemo(() => {
    const names = new Intl.DisplayNames([lang], { type: 'currency' });
    const codes = new Set(countries.data?.map(({ currency_code }) => currency_code));
    codes.delete(BASE);
    return [...codes]
      .toSorted()
      .map((code) => ({ value: code, label: `${code} · ${names.of(code) ?? code}` }));
  }, [countries.data, lang]);
  return { options, error: countries.error };
}
