// What is wrong with a row of a file, in the language of the page.
import type { MappingImport } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { faultWords } from './words.ts';

type RowFault = MappingImport['errors'][number];

/** What has no words here is shown as the service said it. */
export function useFaultText(): (fault: RowFault) => string {
  const w = useWords(faultWords);
  const wordsFor: Record<string, (fault: RowFault) => string> = {
    value_missing: ({ column }) => w.missing(column ?? ''),
    variant_unknown: ({ details }) => w.unknownVariant(String(details['variant_code'])),
    sku_repeated: ({ details }) => w.twice(String(details['sku']), String(details['first_line'])),
    wrong_field_count: ({ details }) => w.fields(String(details['fields']), String(details['expected'])),
    too_long: ({ column, details }) => w.tooLong(column ?? '', String(details['characters_max'])),
    not_storable: ({ column }) => w.unusable(column ?? ''),
    wrong_header: () => w.header,
    file_empty: () => w.isEmpty,
    quote_unclosed: () => w.openQuote,
    quote_inside: () => w.strayQuote,
  };
  return (fault) => wordsFor[fault.code]?.(fault) ?? fault.message;
}
