// The country of a channel and the currency that it implies.
import { Alert, Select, Text, type OptionsFilter } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useGet } from '../../api/query.ts';
import { useFormat } from '../../i18n/format.ts';
import { matches } from '../../i18n/matches.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useWords } from '../../i18n/words.ts';
import { fieldWords } from './words.ts';

const BASE_CURRENCY = 'KRW';
/** The value for "no country" in a Select, whose values must not be empty. */
export const NO_COUNTRY = 'none';

type Kind = 'region' | 'currency';

/** `const name = useNameOf('region'); name('JP')` → Japan; the code itself if Intl has no name for it. */
export function useNameOf(type: Kind): (code: string) => string {
  const lang = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(lang, { type, fallback: 'code' });
    return (code) => {
      try {
        return names.of(code) ?? code;
      } catch {
        return code; // not a well-formed code
      }
    };
  }, [lang, type]);
}

/** The current rate of a currency: null if there is none, undefined while loading. */
export function useRateOf(): (currency: string) => string | null | undefined {
  const current = useGet('/exchange-rates/current');
  return (currency) => {
    if (currency === BASE_CURRENCY) return '1';
    if (current.data === undefined) return undefined;
    return current.data.rates.find(({ currency_code }) => currency_code === currency)?.rate ?? null;
  };
}

interface CountrySelectProps {
  name: string;
  value: string | null;
  error: string | undefined;
  onChange: (value: string | null) => void;
  readOnly?: boolean;
  id?: string;
}

/** Countries by name; the currency and rate of the choice are shown below. */
export function CountrySelect({ value, readOnly = false, ...field }: CountrySelectProps) {
  const w = useWords(fieldWords);
  const lang = useLanguage();
  const regionName = useNameOf('region');
  const countries = useGet('/countries');
  const filter = useCountryFilter();
  const data = useMemo(() => {
    const options = (countries.data ?? [])
      .map(({ country_code, currency_code }) => ({
        value: country_code,
        label: `${regionName(country_code)} (${country_code}) · ${currency_code}`,
      }))
      .toSorted((a, b) => a.label.localeCompare(b.label, lang));
    return [{ value: NO_COUNTRY, label: w.countryUnset }, ...options];
  }, [countries.data, regionName, lang, w]);
  const currency = countries.data?.find(({ country_code }) => country_code === value)?.currency_code;
  return (
    <div>
      <Select
        label={w.country}
        description={w.countryHint}
        placeholder={w.countryPlaceholder}
        searchable={!readOnly}
        readOnly={readOnly}
        nothingFoundMessage={w.countryNotFound}
        filter={filter}
        data={data}
        value={value}
        {...field}
      />
      <CountryMeaning isUnset={value === null || value === NO_COUNTRY} currency={currency} />
    </div>
  );
}

/** Finds countries by name in both languages, code and currency; names that start with the text come first. */
function useCountryFilter(): OptionsFilter {
  return useMemo(() => {
    const names = (['ko', 'en'] as const).map((lang) => new Intl.DisplayNames(lang, { type: 'region' }));
    return ({ options, search }) => {
      const text = search.trim().toLowerCase();
      const ranked = options.flatMap((option) => {
        if ('group' in option) return [];
        const code = option.value;
        const own = code === NO_COUNTRY ? [] : names.map((name) => name.of(code) ?? '');
        const rank = rankOf(text, [code, ...(ALSO_CALLED[code] ?? []), ...own, option.label]);
        return rank === null ? [] : [{ option, rank }];
      });
      return ranked.toSorted((a, b) => a.rank - b.rank).map(({ option }) => option);
    };
  }, []);
}

/** Common names that Intl does not have. */
const ALSO_CALLED: Record<string, string[]> = {
  KR: ['한국', '남한', 'korea', 'kor'],
  US: ['usa', 'america'],
  GB: ['uk', 'england'],
};

function rankOf(text: string, names: readonly string[]): number | null {
  const lower = names.map((name) => name.toLowerCase());
  if (lower.includes(text)) return 0;
  if (lower.some((name) => name.startsWith(text))) return 1;
  return lower.some((name) => matches(name, text)) ? 2 : null;
}

/** The currency of the country and its rate, or what is missing. */
function CountryMeaning({ isUnset, currency }: { isUnset: boolean; currency: string | undefined }) {
  const w = useWords(fieldWords);
  const format = useFormat();
  const currencyName = useNameOf('currency');
  const rateOf = useRateOf();
  if (isUnset) return <Warning text={w.noCountryWarning} />;
  if (currency === undefined) return null;
  const rate = rateOf(currency);
  return (
    <>
      <Text size="xs" c="dimmed" mt={6} role="status">
        {w.currencyIs(`${currencyName(currency)} (${currency})`)}{' '}
        {currency !== BASE_CURRENCY && rate && w.rateIs(currency, format.decimal(rate))}
      </Text>
      {rate === null && (
        <Warning text={w.noRateWarning(currency)}>
          <Link to={`/exchange-rates?currency_code=${currency}`}>{w.addRate}</Link>
        </Warning>
      )}
    </>
  );
}

const Warning = ({ text, children }: { text: string; children?: ReactNode }) => (
  <Alert color="yellow" icon={<TriangleAlert size={16} aria-hidden />} p="xs" mt={6} role="status">
    {text} {children}
  </Alert>
);
