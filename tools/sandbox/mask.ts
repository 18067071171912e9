// Decides what the inspector shows of a request and its answer. It uses an allow list, because a name in a
// misspelt field is still personal data (see docs/adr/0012, including the tracking number and the reason).
// Values masked in a request are also masked in its answer: answers quote SKUs and order numbers, and clients
// put data into wrong fields.

/** `text`: any; `plain`: numbers and booleans, also in quotes, which is a common mistake. */
type Kind = 'text' | 'plain';

const kinds = (kind: Kind, names: string): [string, Kind][] => names.split(' ').map((name) => [name, kind]);

/** Request fields without personal data. */
const OF_REQUESTS: ReadonlyMap<string, Kind> = new Map([
  ...kinds('text', 'order_number sku skus courier_code'),
  ...kinds('plain', 'status is_backorder items quantity unit_price'),
]);

/** Answer fields without personal data. */
const OF_ANSWERS: ReadonlyMap<string, Kind> = new Map([
  ...OF_REQUESTS,
  ...kinds('text', 'data id total_amount product_code product_name created_at available reserve_remaining'),
  ...kinds('text', 'allocated unknown removed next_cursor changes_since is_complete has_more'),
  ...kinds('text', 'error code current_status requested_status message'),
]);

/** In an answer: the service's own messages, by field. */
const ERRORS = 'errors';
const PLAIN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;
const FIELD_NAME = /^[a-z_][\w-]{0,63}$/i;

const LIST_SHOWN_MAX = 20;
const TEXT_SHOWN_MAX = 300;
const BODY_SHOWN_MAX = 16_384;

const API_KEY = /sluice_[\w-]+/g;
const SIGNING_SECRET = /sls_[\w-]+/g;
const KEY_TAIL = 4;
/** A shorter key shows no tail, because the tail would be most of it. */
const KEY_TAIL_OF_MIN = 16;

/** Enough to recognize the key, not enough to use it. */
export function maskKey(key: string): string {
  const prefix = key.startsWith('sluice_') ? 'sluice_' : '';
  return `${prefix}…${key.length < KEY_TAIL_OF_MIN ? '' : key.slice(-KEY_TAIL)}`;
}

/** Masks keys in a path or a body. */
function withoutKeys(text: string, presented: string | null): string {
  const known =
    presented === null || presented === '' ? text : text.replaceAll(presented, maskKey(presented));
  return known.replaceAll(API_KEY, maskKey).replaceAll(SIGNING_SECRET, 'sls_…');
}

const QUERY_SHOWN = ['limit', 'cursor', 'changes_since'];

export interface Mask {
  /** The body of the request as text that may be shown. */
  request: string;
  answer(body: unknown): string;
  /** A path with its query; of unknown parameters only the names. */
  path(address: string): string;
  text(text: string): string;
}

/**
 * The mask of one exchange. `sent`: its parsed body; null: none. `presented`: the key as sent, whatever its
 * form.
 */
export function maskFor(sent: unknown, presented: string | null): Mask {
  const found = new Set<string>();
  collect(sent, null, found);
  const without = withoutValues([...found].toSorted((one, other) => other.length - one.length));
  const shown = (body: unknown): string => {
    const text = withoutKeys(JSON.stringify(body, null, 2), presented);
    return text.length <= BODY_SHOWN_MAX ? text : `${text.slice(0, BODY_SHOWN_MAX)}…`;
  };
  return {
    request: shown(masked(sent, null, { fields: OF_REQUESTS, without })),
    answer: (body) => shown(masked(body, null, { fields: OF_ANSWERS, without })),
    path: (address) => withoutKeys(without(withoutParameters(address)), presented),
    text: (text) => withoutKeys(without(text), presented),
  };
}

function withoutParameters(address: string): string {
  const [path = '', ...query] = address.split('?');
  if (query.length === 0) return path;
  const parts = query
    .join('?')
    .split('&')
    .map((part) => (QUERY_SHOWN.includes(part.split('=')[0] ?? '') ? part : `${part.split('=')[0]}=…`));
  return `${path}?${parts.join('&')}`;
}

/** Shorter texts are only masked as whole words, because they may be part of any other word. */
const ANYWHERE_CHARACTERS_MIN = 4;
const ASCII = /^[ -~]*$/;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const TEXT_CHARACTERS_MIN = 2;
/** Shorter numbers are not masked as phone numbers: they are quantities, and would match everywhere. */
const PHONE_DIGITS_MIN = 7;
const MASKED = '(masked)';

/** `values` must be sorted, longest first, because one value may be part of another. */
const withoutValues =
  (values: readonly string[]) =>
  (text: string): string =>
    values.reduce((rest, value) => {
      if (!rest.includes(value)) return rest;
      const isAnywhere = value.length >= ANYWHERE_CHARACTERS_MIN || !ASCII.test(value);
      return rest.replaceAll(value, (_, at: number) => {
        const around = [rest[at - 1] ?? '', rest[at + value.length] ?? ''];
        return isAnywhere || !around.some((char) => WORD_CHARACTER.test(char)) ? MASKED : value;
      });
    }, text);

/** Collects the values to mask, also in their URL-encoded form. */
function collect(value: unknown, kind: Kind | null, found: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (Array.isArray(value)) collect(inner, kind, found);
      else if (OF_REQUESTS.has(name)) collect(inner, OF_REQUESTS.get(name) ?? null, found);
      else collectAll(inner, found);
    }
  } else if (!isShown(value, kind)) collectAll(value, found);
}

function collectAll(value: unknown, found: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collectAll(inner, found);
    return;
  }
  const text = String(value).trim();
  const least = typeof value === 'number' ? PHONE_DIGITS_MIN : TEXT_CHARACTERS_MIN;
  if ((typeof value !== 'string' && typeof value !== 'number') || text.length < least) return;
  found.add(text).add(encodeURIComponent(text.toWellFormed()));
}

const isShown = (value: unknown, kind: Kind | null): boolean =>
  kind === 'text' || (kind === 'plain' && (typeof value !== 'string' || PLAIN.test(value)));

interface Rules {
  fields: ReadonlyMap<string, Kind>;
  without: (text: string) => string;
}

/** `kind` null: the value is masked, except objects in it. */
function masked(value: unknown, kind: Kind | null, rules: Rules): unknown {
  if (Array.isArray(value)) {
    const first = value.slice(0, LIST_SHOWN_MAX).map((element) => masked(element, kind, rules));
    const more = value.length - LIST_SHOWN_MAX;
    return more > 0 ? [...first, `… and ${more} more`] : first;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [fieldName(name), field(name, inner, rules)]),
    );
  }
  if (!isShown(value, kind)) return hidden(value);
  if (typeof value === 'number') return rules.without(String(value)) === MASKED ? hidden(value) : value;
  return typeof value === 'string' ? shortened(rules.without(value)) : value;
}

function field(name: string, value: unknown, rules: Rules): unknown {
  if (name === ERRORS && rules.fields === OF_ANSWERS) return ownWords(value, rules);
  const kind = rules.fields.get(name);
  return kind === undefined ? hidden(value) : masked(value, kind, rules);
}

/** A name that cannot be a field of the API is data in the wrong place, and is masked. */
const fieldName = (name: string): string =>
  FIELD_NAME.test(name) ? name : `masked: a name of ${Array.from(name).length} characters`;

function ownWords(value: unknown, rules: Rules): unknown {
  if (Array.isArray(value)) return value.map((element) => ownWords(element, rules));
  if (typeof value !== 'object' || value === null) return rules.without(String(value));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rules.without(name), ownWords(inner, rules)]),
  );
}

const shortened = (value: string): string =>
  value.length > TEXT_SHOWN_MAX ? `${value.slice(0, TEXT_SHOWN_MAX)}…` : value;

/** Type and length help a developer to find a fault. */
function hidden(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return `masked: a list of ${value.length}`;
  if (typeof value === 'object') return 'masked: an object';
  if (typeof value !== 'string') return `masked: a ${typeof value}`;
  if (value.trim() === '') return 'masked: blank text';
  return `masked: text of ${Array.from(value).length} characters`;
}
