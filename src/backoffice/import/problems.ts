// Problems in the rows of a file, collected so that one run reports all of them. Facts without words (the words are in
// `src/words/csv-problems.ts`).
import type { FieldFaultAs } from '../../domain/field-fault.ts';

/** Values are as the file has them. `first_line`: where the same thing stood before. */
export type CsvFact =
  | { kind: 'value_missing'; column: string }
  | (FieldFaultAs<'too_long' | 'not_storable'> & { column: string })
  | { kind: 'not_a_quantity'; column: string; value: string; maximum: number }
  | { kind: 'variant_unknown'; variant_code: string; column?: 'variant_code' }
  | { kind: 'variant_of_other_product'; variant_code: string; product_code: string }
  | { kind: 'variant_code_repeated'; variant_code: string; first_line: number }
  /** With another variant: the same row again is no problem. */
  | { kind: 'sku_repeated'; column: 'sku'; sku: string; first_line: number }
  | {
      kind: 'product_name_differs';
      product_code: string;
      product_name: string;
      first_name: string;
      first_line: number;
    }
  /** It was counted later than this file. */
  | { kind: 'count_outdated'; variant_code: string; counted_at: string }
  /** `moved_since`: shipments, returns and adjustments since the count. */
  | { kind: 'count_below_zero'; variant_code: string; counted: number; moved_since: number }
  | {
      kind: 'count_beyond_limit';
      variant_code: string;
      counted: number;
      moved_since: number;
      maximum: number;
    }
  | { kind: 'beyond_limit'; variant_code: string; quantity: number; maximum: number }
  | { kind: 'channel_unknown'; channel_id: number }
  /** Only variants with a stock record can be allocated. */
  | { kind: 'stock_missing'; variant_code: string }
  | { kind: 'allocation_repeated'; channel_id: number; variant_code: string; first_line: number }
  | { kind: 'wrong_field_count'; fields: number; expected: number }
  | FileFact;

/** The file cannot be read any further. */
export type FileFact =
  | { kind: 'file_empty'; header: Header }
  | {
      kind: 'wrong_header';
      header: Header;
      missing: readonly string[];
      unknown: readonly string[];
      repeated: readonly string[];
      /** The first that is missing. */
      column?: string;
      /** It is one column with a semicolon or a tab in it. */
      other_separator: boolean;
    }
  | { kind: 'too_many_rows'; rows_max: number }
  | { kind: 'quote_unclosed' }
  | { kind: 'quote_inside' }
  | { kind: 'row_too_long'; bytes_max: number }
  | { kind: 'not_csv'; parser: string };

interface Header {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface Problem {
  readonly line: number;
  readonly fact: CsvFact;
}

/** null: it concerns the whole row. */
export const columnOf = ({ fact }: Problem): string | null =>
  'column' in fact && fact.column !== undefined ? fact.column : null;

export class Problems {
  readonly #found: Problem[];

  /** With a copy of known problems: a transaction that runs again must not report them twice. */
  constructor(known?: Problems) {
    this.#found = known ? [...known.#found] : [];
  }

  add(line: number, fact: CsvFact): void {
    this.#found.push({ line, fact });
  }

  get count(): number {
    return this.#found.length;
  }

  /** The first ones of the file. */
  first(count: number): Problem[] {
    return this.#found.toSorted((a, b) => a.line - b.line).slice(0, count);
  }
}
