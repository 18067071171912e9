// What the inspector shows of a body. By a list of what may be seen, not of what may not: a name in a misspelt field is
// a name all the same. The personal data are those of docs/adr/0012, the tracking number and the reason included.

/** Fields of requests and answers that say nothing about a person. */
const SHOWN = new Set(
  `order_number status is_backorder items sku skus quantity unit_price courier_code
   data id total_amount product_code product_name created_at available reserve_remaining allocated
   unknown removed next_cursor changes_since is_complete has_more
   error code current_status requested_status message errors`.split(/\s+/),
);

/** In the service's own words, by field. */
const ERRORS = 'errors';
const LIST_SHOWN_MAX = 20;
const TEXT_SHOWN_MAX = 300;
const BODY_SHOWN_MAX = 16_384;

const API_KEY = /sluice_[\w-]+/g;
const SIGNING_SECRET = /sls_[\w-]+/g;
const KEY_TAIL = 4;
/** Below it a tail would be most of the key. */
const KEY_TAIL_OF_MIN = 16;

/** Enough to tell which key it was, not enough to use it. */
export function maskKey(key: string): string {
  const prefix = key.startsWith('sluice_') ? 'sluice_' : '';
  return `${prefix}…${key.length < KEY_TAIL_OF_MIN ? '' : key.slice(-KEY_TAIL)}`;
}

/** Keys that strayed into a path or a body; `presented` is what came in the header, of whatever form. */
export function withoutKeys(text: string, presented: string | null): string {
  const known =
    presented === null || presented === '' ? text : text.replaceAll(presented, maskKey(presented));
  return known.replaceAll(API_KEY, maskKey).replaceAll(SIGNING_SECRET, 'sls_…');
}

const QUERY_SHOWN = ['limit', 'cursor', 'changes_since'];

/** A path with its query; of parameters that mean nothing to the service only the names. */
export function maskPath(address: string, presented: string | null): string {
  const [path = '', ...query] = address.split('?');
  if (query.length === 0) return withoutKeys(path, presented);
  const parts = query
    .join('?')
    .split('&')
    .map((part) => (QUERY_SHOWN.includes(part.split('=')[0] ?? '') ? part : `${part.split('=')[0]}=…`));
  return withoutKeys(`${path}?${parts.join('&')}`, presented);
}

/** A parsed body as text that may be shown. */
export function maskBody(value: unknown, presented: string | null): string {
  const text = withoutKeys(JSON.stringify(masked(value, false), null, 2), presented);
  return text.length <= BODY_SHOWN_MAX ? text : `${text.slice(0, BODY_SHOWN_MAX)}…`;
}

function masked(value: unknown, isShown: boolean): unknown {
  if (Array.isArray(value)) {
    const first = value.slice(0, LIST_SHOWN_MAX).map((element) => masked(element, isShown));
    const more = value.length - LIST_SHOWN_MAX;
    return more > 0 ? [...first, `… and ${more} more`] : first;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, field(name, inner)]));
  }
  return isShown ? shortened(value) : hidden(value);
}

function field(name: string, value: unknown): unknown {
  if (name === ERRORS) return value;
  return SHOWN.has(name) ? masked(value, true) : hidden(value);
}

const shortened = (value: unknown): unknown =>
  typeof value === 'string' && value.length > TEXT_SHOWN_MAX ? `${value.slice(0, TEXT_SHOWN_MAX)}…` : value;

/** Its type and length are what a developer needs to find a fault. */
function hidden(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return `masked: a list of ${value.length}`;
  if (typeof value === 'object') return 'masked: an object';
  if (typeof value !== 'string') return `masked: a ${typeof value}`;
  if (value.trim() === '') return 'masked: blank text';
  return `masked: text of ${Array.from(value).length} characters`;
}
