// What the admin API answers, as the console reads it. Times are ISO 8601 strings, amounts decimal strings.

export type Role = 'viewer' | 'operator' | 'admin';

export interface Session {
  user: { id: number; email: string; name: string | null; role: Role } | null;
  role: Role;
  /** The one to show: the account's name, or its e-mail. */
  name: string;
  must_change_password: boolean;
  csrf_token: string | null;
  timezone: string;
  version: string;
  expires_at: string | null;
}

export interface User {
  id: number;
  email: string;
  name: string | null;
  role: Role;
  is_active: boolean;
  must_change_password: boolean;
  created_at: string;
  last_sign_in_at: string | null;
}
/** Only in the answer that made it: the one-time password. */
export interface UserWithPassword extends User {
  password: string;
}

export interface Token {
  id: number;
  name: string;
  role: Role;
  created_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
  expires_at: string | null;
  /** As in the audit log. */
  created_by: string | null;
}
/** Only in the answer that made it. */
export interface TokenWithSecret extends Token {
  token: string;
}

export interface AuditEntry {
  id: number;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
}

export interface CommonCode {
  code: string;
  name: string;
}

export interface ChannelRef {
  id: number;
  name: string;
}

export interface Channel extends ChannelRef {
  country_code: string | null;
  currency_code: string;
  api_url: string | null;
  is_active: boolean;
  order_number_prefix: string | null;
  created_at: string;
  key_last_used_at: string | null;
  /** null: the key before the present one does not work */
  previous_key_valid_until: string | null;
  previous_key_last_used_at: string | null;
  /** null: none */
  rate_limit: { requests_per_minute: number; burst: number } | null;
  signing: { mode: SigningMode; secrets: SigningSecret[] };
}
export type SigningMode = 'off' | 'accepted' | 'required';
export interface SigningSecret {
  id: number;
  created_at: string;
  last_used_at: string | null;
}
/** Only in the answer that made it. */
export interface NewSigningSecret {
  id: number;
  secret: string;
  created_at: string;
}
/** Only at creation and rotation. */
export interface ChannelWithKey extends Channel {
  api_key: string;
}

export interface Country {
  country_code: string;
  currency_code: string;
}

/** The five prerequisites of contract 1.2, always in this order; how the channel's key travels; its prefix. */
export type ChecklistItem = { ok: boolean; state: 'done' | 'missing' | 'optional' | 'warning' } & (
  | { key: 'active'; detail: Record<string, never> }
  | { key: 'country'; detail: { country_code: string | null; currency_code: string } }
  | { key: 'mappings'; detail: { mapped: number; unmapped_asked: number } }
  | { key: 'allocations'; detail: { configured: number } }
  | {
      key: 'exchange_rate';
      detail: { currency_code: string; base: boolean; rate: string | null; effective_at: string | null };
    }
  | { key: 'api_url'; detail: { transport: 'none' | 'encrypted' | 'plain' | 'plain_private' } }
  | {
      key: 'order_number_prefix';
      detail: { order_number_prefix: string | null; shared_with: string[] };
    }
);
export interface Checklist {
  items: ChecklistItem[];
}

export interface Mapping {
  sku: string;
  variant_code: string;
  product_code: string;
  product_name: string;
  power: string | null;
}

export interface MappingImport {
  rows: number;
  created: number;
  replaced: number;
  unchanged: number;
  errors: {
    line: number;
    column: string | null;
    code: string;
    details: Record<string, unknown>;
    message: string;
  }[];
  error_count: number;
  applied: boolean;
  sample: { sku: string; variant_code: string; before: string | null }[];
}

/** A SKU that a channel asked for in vain. */
export interface UnmappedSku {
  sku: string;
  lookups: number;
  orders: number;
  first_at: string;
  last_at: string;
}

export interface Variant {
  id: number;
  code: string;
  power: string | null;
  created_at: string;
}
export interface Product {
  id: number;
  code: string;
  name: string;
  variants: Variant[];
  created_at: string;
}

/** The terms of the formula: quantity − unshipped − allocated − backordered = common_available (at least 0). */
export interface StockTerms {
  quantity: number;
  unshipped: number;
  allocated: number;
  backordered: number;
  common_available: number;
  /** By how much unshipped orders and pre-allocations exceed the physical stock. */
  overcommitted_by: number;
}
export interface StockRow extends StockTerms {
  variant_code: string;
  product_code: string;
  product_name: string;
  power: string | null;
}
export interface StockChannel {
  channel_id: number;
  name: string;
  allocated_qty: number;
  reserve_quota: number;
  backordered_qty: number;
  available: number;
  reserve_remaining: number;
}
export interface StockDetail extends StockRow {
  channels: StockChannel[];
  skus: { channel_id: number; sku: string }[];
}
export interface Movement {
  id: number;
  delta: number;
  quantity_after: number;
  kind: string;
  order_number: string | null;
  actor: string;
  reason: string | null;
  at: string;
}
/** An open order that holds an item. */
export interface HoldingOrder {
  id: number;
  order_number: string;
  channel_id: number;
  channel_name: string;
  status: OrderStatus;
  is_backorder: boolean;
  quantity: number;
  from_allocation: number;
  created_at: string;
}

export interface AllocationCell {
  channel_id: number;
  allocated_qty: number;
  reserve_quota: number;
  backordered_qty: number;
  available: number;
  reserve_remaining: number;
  is_mapped: boolean;
}
export interface AllocationRow extends StockTerms {
  variant_code: string;
  product_code: string;
  product_name: string;
  power: string | null;
  cells: AllocationCell[];
}

export type OrderStatus = 0 | 1 | 2 | 9 | 3 | 88;

export interface OrderRow {
  id: number;
  order_number: string;
  channel_id: number;
  channel_name: string;
  status: OrderStatus;
  is_backorder: boolean;
  item_count: number;
  total_amount: string;
  local_currency_code: string;
  local_total_amount: string;
  exchange_rate: string;
  recipient_name: string;
  tracking_number: string | null;
  courier_code: string | null;
  courier_name: string | null;
  cancel_reason: string | null;
  created_at: string;
  erased_at: string | null;
}
export interface OrderLine {
  product_code: string;
  product_name: string;
  quantity: number;
  unit_price: string;
  sku: string;
  variant_code: string;
  local_unit_price: string;
  cancelled_quantity: number;
  from_allocation: number;
}
export interface OrderDetail extends Omit<OrderRow, 'item_count' | 'channel_name'> {
  recipient_phone: string;
  shipping_address: string;
  items: OrderLine[];
  history: { from: OrderStatus | null; to: OrderStatus; source: string; at: string }[];
}
export interface StatusReport {
  status: OrderStatus;
  tracking_number?: string;
  courier_code?: string;
  reason?: string;
}
export interface BulkStatusResult {
  results: {
    id: number | null;
    ok: boolean;
    /** The order's status now, as far as known. */
    status: OrderStatus | null;
    error: string | null;
    code: string | null;
    details: Record<string, unknown> | null;
    errors: Record<string, string[]> | null;
  }[];
}

export interface ExchangeRate {
  id: number;
  currency_code: string;
  rate: string;
  effective_at: string;
  created_at: string;
}
export interface NextRate {
  rate: string;
  effective_at: string;
}
export interface CurrentRates {
  now: string;
  rates: {
    currency_code: string;
    rate: string;
    effective_at: string;
    next: NextRate | null;
    channels: ChannelRef[];
  }[];
  missing: { currency_code: string; next: NextRate | null; channels: ChannelRef[] }[];
}

export interface Overview {
  now: string;
  hours: string[];
  orders_per_hour: { channel_id: number; counts: number[] }[];
  channels: (ChannelRef & { is_active: boolean })[];
  open_orders: { status: OrderStatus; count: number }[];
  oldest_unpaid: {
    id: number;
    order_number: string;
    channel_id: number;
    channel_name: string;
    created_at: string;
    total_amount: string;
  }[];
  low_stock: { variant_code: string; product_name: string; common_available: number; quantity: number }[];
  overcommitted_count: number;
  refused: { reason: string; count: number }[];
  unmapped_count: number;
  reconcile: { ok: boolean; checked: number; drift_count: number; checked_at: string } | null;
  gate: {
    waiting: number;
    capacity: number;
    batches: number;
    orders: number;
    last_batch_size: number;
    average_batch_ms: number;
    retries: number;
  };
}

/** A counter that differs from what orders and ledger say; null: there is, or should be, no such row. */
export interface Drift {
  counter: string;
  variant_code?: string;
  channel_id?: number;
  order_number?: string;
  stored: number | string | null;
  computed: number | string | null;
}
export interface Reconciliation {
  ok: boolean;
  checked: number;
  /** The first ones; `drift_count` says how many there are. */
  drift: Drift[];
  drift_count: number;
}

export interface ProductOption {
  option_code: string;
  group: string;
  side: 'left' | 'right' | null;
  power: string;
  stock: number;
  hidden: boolean;
  variant_code: string;
  problems: string[];
}
export interface Violation {
  code: string;
  /** Positions in `options`; none where it concerns the whole product. */
  rows: number[];
  details: {
    power?: string;
    option_codes?: string[];
    group?: string;
    side?: 'left' | 'right';
    /** The same value in another notation. */
    written_as?: string;
  };
  message: string;
}
type Result = 'created' | 'updated' | 'unchanged';
export interface RegistrationChanges {
  product: { code: string; name: string; result: Result };
  variants: { code: string; power: string | null; result: Result }[];
  mappings: { sku: string; variant_code: string; result: Result }[];
}
/** What a channel answered about a product, checked. */
export interface ProductInfo {
  found: boolean;
  product_code: string;
  goods_name: string | null;
  is_set: boolean;
  groups: string[];
  options: ProductOption[];
  skus: { power: string; option_code: string; stock: number; hidden: boolean; variant_code: string }[];
  errors: string[];
  violations: Violation[];
  changes: RegistrationChanges | null;
}
/** What applying would do. */
export interface RegistrationPlan {
  product: { code: string; name: string; action: 'create' | 'rename' | 'keep'; before_name: string | null };
  variants: {
    code: string;
    power: string | null;
    action: 'create' | 'update' | 'keep';
    before_power: string | null;
  }[];
  mappings: {
    sku: string;
    variant_code: string;
    action: 'create' | 'replace' | 'keep';
    before: string | null;
  }[];
}
