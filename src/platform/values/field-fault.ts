// What can be wrong with one value of a request, a file or an option: facts only. The messages are in field-fault-words.ts.

export type FieldFault =
  | { kind: 'required' }
  /** Not a field of this request. `nearest`: the known field that is spelled most like it. */
  | { kind: 'unknown_field'; nearest: string | null }
  /** Required because another field was given. */
  | { kind: 'required_with'; field: string }
  /** Two fields of which at most one may be given. */
  | { kind: 'excluded_by'; field: string }
  /** `types`: type names of JSON Schema. */
  | { kind: 'wrong_type'; types: readonly string[] }
  /** A number that cannot be stored exactly. */
  | { kind: 'too_many_digits' }
  | { kind: 'not_listed'; allowed: readonly (string | number)[] }
  | { kind: 'not_equal'; expected: string }
  | { kind: 'blank' }
  | { kind: 'too_short'; characters_min: number }
  | { kind: 'too_long'; characters_max: number }
  | { kind: 'too_few'; elements_min: number }
  | { kind: 'too_many'; elements_max: number }
  | { kind: 'too_small'; minimum: number }
  | { kind: 'too_large'; maximum: number }
  | { kind: 'not_above'; limit: number }
  | { kind: 'zero' }
  /** Text that the database cannot hold. */
  | { kind: 'not_storable' }
  | { kind: 'wrong_format'; format: string }
  | { kind: 'not_a_price'; decimals_max: number }
  | { kind: 'not_a_rate'; decimals_max: number }
  | { kind: 'not_a_country' }
  | { kind: 'not_a_currency' }
  | { kind: 'not_a_timestamp' }
  | { kind: 'not_a_moment' }
  | { kind: 'in_future' }
  | { kind: 'expiry_out_of_range'; days_max: number }
  | { kind: 'cursor_unknown' }
  /** Not a token of the order feed of this database. */
  | { kind: 'since_unknown' }
  /** Too many orders match to be sorted. */
  | { kind: 'too_many_to_sort'; orders_max: number }
  | { kind: 'not_an_email' }
  /** Faults of URLs. `hidden_part`: the URL contains the placeholder for a part that was not shown. */
  | { kind: 'hidden_part' }
  | { kind: 'has_blanks' }
  | { kind: 'not_http' }
  | { kind: 'not_an_address' }
  | { kind: 'has_credentials' }
  /** Neither an IP address nor a CIDR range. */
  | { kind: 'not_an_address_range' }
  /** Fault of a URL template. */
  | { kind: 'placeholder_missing'; placeholder: string }
  /** Faults of passwords. */
  | { kind: 'is_email' }
  | { kind: 'is_current_password' }
  | { kind: 'guessable' }
  | { kind: 'wrong_password' }
  /** Fault of a code of the second factor. */
  | { kind: 'wrong_code' }
  /** Faults of an entry in a list of the request. */
  | { kind: 'order_repeated'; order_id: number }
  | { kind: 'same_channel' }
  | { kind: 'order_line_unknown' }
  | { kind: 'option_unknown' }
  | { kind: 'variant_code_repeated' }
  | { kind: 'sku_repeated' }
  | { kind: 'variant_unknown' }
  /** `nearest`: couriers that it may mean. */
  | { kind: 'courier_unknown'; nearest: readonly { code: string; name: string }[] }
  /** Faults of the request as a whole. */
  | { kind: 'body_empty' }
  | { kind: 'body_too_large'; bytes_max: number }
  | { kind: 'body_not_utf8' }
  | { kind: 'body_not_json' }
  | { kind: 'body_too_deep'; levels_max: number }
  | { kind: 'body_long_numbers'; numbers_max: number }
  | { kind: 'unreadable' }
  | { kind: 'path_encoding' }
  /** A rule of the schema that has no kind of its own. */
  | { kind: 'invalid'; rule: string };

export type FieldFaultAs<Kind extends FieldFault['kind']> = Extract<FieldFault, { kind: Kind }>;

/** What is wrong with which field, by its dotted path. */
export interface FieldError {
  field: string;
  fault: FieldFault;
}
