// Problems in the rows of a file, collected so that one run reports all of them. Facts only: the messages are in
// `src/platform/csv/words.ts`.
import type { FieldFaultAs } from '../values/field-fault.ts';

/** What can be wrong with the value of a column; the value itself is not repeated. */
export type ColumnFault = FieldFaultAs<
  | 'too_long'
  | 'not_storable'
  | 'not_listed'
  | 'not_equal'
  | 'too_small'
  | 'too_large'
  | 'too_many'
  | 'not_an_address_range'
  | 'not_a_price'
  | 'not_a_rate'
  | 'not_a_country'
  | 'not_a_currency'
  | 'not_a_timestamp'
  | 'in_future'
  | 'hidden_part'
  | 'has_blanks'
  | 'not_http'
  | 'not_an_address'
  | 'has_credentials'
  | 'placeholder_missing'
>;

/** Values are as in the file. `first_line`: the line of the earlier row with the same value. */
export type CsvFact =
  | { kind: 'value_missing'; column: string }
  | (ColumnFault & { column: string })
  | { kind: 'not_a_quantity'; column: string; value: string; maximum: number }
  | { kind: 'variant_unknown'; variant_code: string; column?: 'variant_code' }
  | { kind: 'variant_of_other_product'; variant_code: string; product_code: string }
  | { kind: 'variant_code_repeated'; variant_code: string; first_line: number }
  /** The SKU is repeated with another variant. An identical row is ignored. */
  | { kind: 'sku_repeated'; column: 'sku'; sku: string; first_line: number }
  | {
      kind: 'product_name_differs';
      product_code: string;
      product_name: string;
      first_name: string;
      first_line: number;
    }
  /** The variant was counted later than the count in this file. */
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
  | { kind: 'below_zero'; variant_code: string; quantity: number }
  | { kind: 'channel_unknown'; channel_id: number }
  /** It gets no stock, mappings or open orders. */
  | { kind: 'channel_archived'; channel_id: number }
  /** It gets no variants. */
  | { kind: 'product_archived'; column: 'product_code'; product_code: string }
  /** The variant or its product: it gets no allocations or open orders. */
  | { kind: 'variant_archived'; variant_code: string }
  /** Only variants with a stock record can be allocated. */
  | { kind: 'stock_missing'; variant_code: string }
  | { kind: 'allocation_repeated'; channel_id: number; variant_code: string; first_line: number }
  /** No channel of this name, or several. */
  | { kind: 'channel_name_unknown'; column: 'channel'; channel: string }
  | { kind: 'channel_name_ambiguous'; column: 'channel'; channel: string }
  /** A channel of this name exists and has another key. */
  | { kind: 'channel_name_taken'; column: 'name'; name: string }
  | { kind: 'channel_name_repeated'; column: 'name'; name: string; first_line: number }
  /** It overlaps with a prefix of the channel `name`, which another row can set too. */
  | { kind: 'order_number_prefix_taken'; column: 'order_number_prefix'; name: string; prefix: string }
  /** Keys are secrets: they are never repeated. */
  | { kind: 'api_key_repeated'; column: 'api_key'; first_line: number }
  /** `name`: the channel that has it, now or until a rotation. */
  | { kind: 'api_key_taken'; column: 'api_key'; name: string }
  /** The key cannot be sent in a request header. */
  | { kind: 'api_key_not_sendable'; column: 'api_key' }
  | { kind: 'rate_repeated'; currency_code: string; first_line: number }
  | { kind: 'common_code_repeated'; code: string; first_line: number }
  | { kind: 'courier_unknown'; column: 'courier_code'; courier_code: string }
  | { kind: 'sku_unmapped'; column: 'sku'; sku: string; channel_id: number }
  /** Two rows of one order have different values. */
  | { kind: 'order_field_differs'; column: string; order_number: string; first_line: number }
  | { kind: 'too_many_lines'; order_number: string; lines_max: number }
  /** A resend of such an order would be refused. */
  | { kind: 'order_number_without_prefix'; column: 'order_number'; order_number: string; prefix: string }
  | { kind: 'order_of_other_channel'; column: 'order_number'; order_number: string; channel_id: number }
  /**
   * The order exists and differs from the file. `status`: the stored status. Personal data is not repeated: output of
   * commands ends in logs.
   */
  | {
      kind: 'order_differs';
      column: string;
      order_number: string;
      status: number;
      stored?: string;
      given?: string;
    }
  /** A warning of an update: the stored value stays. */
  | { kind: 'order_kept'; column: string; order_number: string; stored: string; given: string }
  | { kind: 'order_cannot_move'; column: 'status'; order_number: string; from: number; to: number }
  /** An update must say what became of every open order. */
  | { kind: 'open_order_missing'; order_number: string; channel_id: number; status: number }
  /** The row is equal to an earlier one of its order, and no total of the order confirms it. */
  | { kind: 'row_doubled'; order_number: string; first_line: number }
  /** The total, or price, does not follow from the lines. */
  | { kind: 'total_contradicts'; column: string; given: string; computed: string }
  | {
      kind: 'quantity_absurd';
      column: 'quantity';
      quantity: number;
      variant_code: string;
      in_stock: number;
    }
  /** A warning. */
  | { kind: 'api_key_short'; column: 'api_key'; characters_min: number }
  /** A warning: a stored channel differs only in case, width or blanks. */
  | { kind: 'channel_name_similar'; column: 'name'; name: string; stored: string }
  /** Another rate of the currency is stored for the same time. */
  | { kind: 'rate_differs'; column: 'rate'; currency_code: string; stored: string; given: string }
  /** A number in scientific notation (1.23457E+12), or an error value such as #N/A. */
  | { kind: 'spreadsheet_value'; column: string }
  /** Every number of more than 15 digits in this column ends in zeros, as a spreadsheet writes it. */
  | { kind: 'digits_lost'; column: string }
  /** Warnings about a column, at its first row: blanks at an end of a value; an apostrophe before a formula; NULL or \N. */
  | { kind: 'outer_blanks'; column: string }
  | { kind: 'looks_protected'; column: string }
  | { kind: 'null_text'; column: string }
  /** A warning: perhaps one code, written in two ways. */
  | { kind: 'looks_alike'; column: string; value: string; first_value: string; first_line: number }
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
      /** Number of unknown columns, instead of their names, if the file may contain secrets. */
      unnamed?: number;
      repeated: readonly string[];
      /** The first missing column. */
      column?: string;
      /** The first line has semicolons or tabs, but no comma. */
      other_separator: boolean;
    }
  /** An HTML or XML document: some shops export one with the name of a CSV or Excel file. */
  | { kind: 'markup' }
  | { kind: 'too_many_rows'; rows_max: number }
  | { kind: 'quote_unclosed' }
  | { kind: 'quote_inside' }
  | { kind: 'row_too_long'; bytes_max: number };

interface Header {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface Problem {
  readonly line: number;
  readonly fact: CsvFact;
}

/** null: the problem concerns the whole row. */
export const columnOf = ({ fact }: Problem): string | null =>
  'column' in fact && fact.column !== undefined ? fact.column : null;

export class Problems {
  readonly #found: Problem[];
  readonly #warnings: Problem[];
  readonly #warnedOnce: Set<string>;
  /** The operator has said that values which look like mistakes are right. */
  readonly takesDoubtful: boolean;

  /** With a copy of known problems: a transaction that runs again must not report them twice. */
  constructor(known?: Problems | { takesDoubtful: boolean }) {
    const earlier = known instanceof Problems ? known : null;
    this.#found = earlier ? [...earlier.#found] : [];
    this.#warnings = earlier ? [...earlier.#warnings] : [];
    this.#warnedOnce = new Set(earlier ? earlier.#warnedOnce : []);
    this.takesDoubtful = known?.takesDoubtful ?? false;
  }

  add(line: number, fact: CsvFact): void {
    this.#found.push({ line, fact });
  }

  /** What is probably a mistake, but does not stop the import. */
  warn(line: number, fact: CsvFact): void {
    this.#warnings.push({ line, fact });
  }

  /** A warning for the first row of a column: perhaps every row has it. */
  warnOnce(line: number, fact: CsvFact & { column: string }): void {
    const key = `${fact.kind} ${fact.column}`;
    if (this.#warnedOnce.has(key)) return;
    this.#warnedOnce.add(key);
    this.warn(line, fact);
  }

  /** What looks like a mistake, but may be right: a problem, unless the operator has said that it is right. */
  doubt(line: number, fact: CsvFact): void {
    if (this.takesDoubtful) this.warn(line, fact);
    else this.add(line, fact);
  }

  /** In the order of the file. */
  get warnings(): readonly Problem[] {
    return this.#warnings;
  }

  get count(): number {
    return this.#found.length;
  }

  /** The first problems in the order of the file. */
  first(count: number): Problem[] {
    return this.#found.toSorted((a, b) => a.line - b.line).slice(0, count);
  }
}
