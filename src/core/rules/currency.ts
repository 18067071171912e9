import countryToCurrency from 'country-to-currency';

export const BASE_CURRENCY = 'KRW';

const CURRENCY_BY_COUNTRY = new Map<string, string>(Object.entries(countryToCurrency));
const CURRENCIES = new Set(CURRENCY_BY_COUNTRY.values());

/** Every country a channel may have, with its currency, sorted by code. */
export const COUNTRIES: readonly { country_code: string; currency_code: string }[] = [
  ...CURRENCY_BY_COUNTRY,
].map(([country_code, currency_code]) => ({ country_code, currency_code }));

/**
 * Returns the code in upper case, or null if it is unknown. The pattern comes first because toUpperCase() turns some
 * non-ASCII characters into A–Z.
 */
export function readCountryCode(text: string): string | null {
  const code = /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : '';
  return isCountryCode(code) ? code : null;
}

export const isCountryCode = (code: string): boolean => CURRENCY_BY_COUNTRY.has(code);
export const isCurrencyCode = (code: string): boolean => CURRENCIES.has(code);

/** Returns the code in upper case, or null if it is unknown. */
export function readCurrencyCode(text: string): string | null {
  const code = /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : '';
  return isCurrencyCode(code) ? code : null;
}

/** `KR` or unset means KRW (contract 2.6.1). */
export function currencyOf(countryCode: string | null): string {
  if (countryCode === null) return BASE_CURRENCY;
  const currency = CURRENCY_BY_COUNTRY.get(countryCode);
  if (currency === undefined) throw new RangeError(`unknown country: ${countryCode}`);
  return currency;
}
