// Checks of the settings of an exchange-rate source beyond their schema.
import { checkApiUrl } from '../../core/channels/api-url.ts';
import { isHeaderText } from '../../core/rules/api-key.ts';
import { BASE_CURRENCY, readCurrencyCode } from '../../core/rules/currency.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { CURRENCY_PLACEHOLDER, filledUrl, keyStays } from './collect.ts';
import type { RateSourceFields, RateSourceRow } from './store.ts';
import type { SourceRequest } from './schemas.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';

/** All errors are reported together. */
export function readSource(body: SourceRequest, stored: RateSourceRow): RateSourceFields {
  const { kind } = body;
  const found: FieldError[] = [];
  const url = body.url || null;
  const checked = url === null ? null : checkApiUrl(filledUrl(url));
  if (checked?.ok === false) found.push({ field: 'url', fault: checked.fault });
  if (kind === 'json' && url === null) found.push({ field: 'url', fault: { kind: 'required' } });
  const path = kind === 'json' ? body.path?.trim() || null : null;
  if (kind === 'json' && path === null) found.push({ field: 'path', fault: { kind: 'required' } });
  const hasKey =
    body.api_key === undefined
      ? stored.has_api_key && (checked?.ok === false || keyStays(stored, { kind, url }))
      : body.api_key;
  if (kind === 'koreaexim' && !hasKey) found.push({ field: 'api_key', fault: { kind: 'required' } });
  if (!isHeaderText(body.api_key ?? '')) found.push({ field: 'api_key', fault: { kind: 'has_blanks' } });
  const codes = [...new Set((body.currencies ?? []).map((code) => readCurrencyCode(code) ?? code))];
  if (kind !== 'none' && codes.length === 0) found.push({ field: 'currencies', fault: { kind: 'required' } });
  for (const [at, code] of codes.entries())
    if (readCurrencyCode(code) === null || code === BASE_CURRENCY)
      found.push({ field: `currencies.${at}`, fault: { kind: 'not_a_currency' } });
  const hasPlace = [url, path].some((text) => text?.includes(CURRENCY_PLACEHOLDER) === true);
  if (kind === 'json' && codes.length > 1 && !hasPlace)
    found.push({
      field: 'path',
      fault: { kind: 'placeholder_missing', placeholder: CURRENCY_PLACEHOLDER },
    });
  if (found.length > 0) throw Refusal.invalidFields(found);
  return {
    kind,
    url,
    currencies: codes,
    every_minutes: body.every_minutes ?? 360,
    path,
    per_units: body.per_units ?? 1,
    is_inverted: body.is_inverted ?? false,
  };
}
