// Commands, outcomes and changes of a batch, as plain data.
import type { ChannelLimits } from './channel-limits.ts';
import type { Credential } from '../../platform/accounts/credential-rules.ts';
import type { AcceptedCredentials, Sender, SenderRefusal } from './credentials.ts';
import type { Decimal } from '../../platform/values/money.ts';
import type { PrepaymentExpiry } from './prepayment-expiry.ts';
import type { Allocation, Stock } from './stock.ts';
import type { Status } from './transitions.ts';

interface IntakeLine {
  sku: string;
  quantity: number;
  unit_price: Decimal;
}

export interface IntakeCommand {
  kind: 'intake';
  channel_id: number;
  /** Set for every HTTP request; without it the credentials are not checked again. */
  sender?: Sender;
  order_number: string;
  /** The number starts with the prefix of another channel (contract 10.13). */
  is_number_reserved?: boolean;
  /** The limits of the channel when the order arrived (contract 10.24). */
  limits?: ChannelLimits | null;
  status: 0 | 1;
  is_backorder: boolean;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  tracking_number: string | null;
  lines: readonly IntakeLine[];
}

/** `service`: the service itself cancels an order that was not paid in time. */
type ReportSource = 'channel' | 'back_office' | 'service';
/** The source of steps that were taken over from another service. */
export const IMPORT_SOURCE = 'import';

export interface ReportCommand {
  kind: 'report';
  /** A channel names its own order by number; the back office names any order by id. */
  target: { channel_id: number; order_number: string } | { order_id: number };
  /** Set for every report by a channel. */
  sender?: Sender;
  /** Set for back-office reports, except with the token from the environment, which only a restart can change. */
  credential?: Credential | undefined;
  status: Status;
  tracking_number: string | null;
  courier_code: string | null;
  reason: string | null;
  source: ReportSource;
  /** A cancellation by the service, only if the order has expired; see `hasExpired`. */
  expires?: boolean;
  actor: string;
  request_id: string | null;
}

export type Command = IntakeCommand | ReportCommand;

/** null: a report of the back office or of the service, which names an order only. */
export function channelOfCommand(command: Command): number | null {
  if (command.kind === 'intake') return command.channel_id;
  return 'channel_id' in command.target ? command.target.channel_id : null;
}

/** The internal SKU that a channel SKU points at. */
export interface MappedVariant {
  variant_id: number;
  product_code: string;
  product_name: string;
  /** Version of product code and name that the order line keeps (contract 2.4). */
  product_version_id: number;
}

export interface OrderItem {
  line: number;
  variant_id: number;
  sku: string;
  product_code: string;
  product_name: string;
  quantity: number;
  cancelled_quantity: number;
  from_allocation: number;
  local_unit_price: string;
  unit_price: string;
}

export interface Order {
  id: number;
  channel_id: number;
  order_number: string;
  status: Status;
  is_backorder: boolean;
  recipient_name: string;
  total_amount: string;
  created_at: Date;
  items: OrderItem[];
}

/** A new order with the fields that only the insert needs. */
export interface NewOrder {
  order: Order;
  command: IntakeCommand;
  /** by line */
  product_version_ids: number[];
  local_currency_code: string;
  local_total_amount: string;
  exchange_rate: string;
}

/** The working state of a batch, read under the locks of its transaction. `decide` updates it with every command. */
export interface BatchState {
  now: Date;
  stock: Map<number, Stock>;
  /** by `allocationKey` */
  allocations: Map<string, Allocation>;
  /**
   * Quantities that unpaid normal orders of a channel hold, by `allocationKey`. Read for the orders whose channel limits
   * them.
   */
  unpaid: Map<string, number>;
  /** by `skuKey` */
  mappings: Map<string, MappedVariant>;
  /** by order number, which is unique across all channels */
  orders: Map<string, Order>;
  /** intake currency by channel; deleted and inactive channels are missing */
  currencies: Map<number, string>;
  /** credentials that the channels of the commands accept; inactive channels are missing */
  accepted: Map<number, AcceptedCredentials>;
  /** the role of each valid credential of the reports, by `credentialKey` */
  roles: ReadonlyMap<string, string>;
  /** by order id, for reports with `expires`; an order that is missing does not expire */
  expiries: ReadonlyMap<number, PrepaymentExpiry>;
  /** latest applicable rate by currency; KRW needs none */
  rates: Map<string, Decimal>;
  /** name by code, of the common code group DELIVERY_COMPANY */
  couriers: Map<string, string>;
  nextOrderId: () => number;
}

export const allocationKey = (channelId: number, variantId: number): string => `${channelId}:${variantId}`;
export const skuKey = (channelId: number, sku: string): string => `${channelId}:${sku}`;

/** A copy of an order for the response. Later commands of the batch do not change it. */
export interface OrderView {
  id: number;
  order_number: string;
  status: Status;
  total_amount: string;
  recipient_name: string;
  items: readonly OrderItem[];
  created_at: Date;
}

export const orderView = (order: Order): OrderView => ({
  id: order.id,
  order_number: order.order_number,
  status: order.status,
  total_amount: order.total_amount,
  recipient_name: order.recipient_name,
  items: order.items,
  created_at: order.created_at,
});

export type Outcome =
  | { kind: 'created'; order: OrderView }
  | { kind: 'resent'; order: OrderView }
  | { kind: 'reported'; order: OrderView; changed: boolean }
  | SenderRefusal
  | { kind: 'credential_revoked' }
  | { kind: 'order_number_taken' }
  | { kind: 'number_reserved' }
  | { kind: 'sku_unmapped'; sku: string }
  | { kind: 'stock_missing'; sku: string }
  | { kind: 'stock_insufficient'; skus: readonly string[]; requested: number; available: number }
  | { kind: 'quota_insufficient'; skus: readonly string[]; requested: number; remaining: number }
  /** Contract 10.24. `available`: what the limit of the channel leaves. */
  | { kind: 'limit_exceeded'; skus: readonly string[]; requested: number; available: number }
  | { kind: 'order_unknown'; order_number: string }
  | { kind: 'invalid_transition'; current_status: Status; requested_status: Status }
  | {
      kind: 'shipment_short';
      current_status: Status;
      requested_status: Status;
      sku: string;
      requested: number;
      available: number;
    };

/** The net effect of a batch: one set of rows per table. */
export interface Changes {
  created: NewOrder[];
  /** existing orders whose status changed, with the data of the last step */
  moved: Map<number, { status: Status; shipment: Shipment | null; cancel_reason: string | null }>;
  history: { order_id: number; from: Status | null; to: Status; source: string }[];
  movements: {
    variant_id: number;
    delta: number;
    quantity_after: number;
    order_id: number;
    actor: string;
  }[];
  stock: Map<number, Stock>;
  allocations: Map<
    string,
    { channel_id: number; variant_id: number; allocated_qty: number; backordered_qty: number }
  >;
  audits: { actor: string; order_id: number; before: Status; after: Status; request_id: string | null }[];
}

interface Shipment {
  tracking_number: string;
  courier_code: string | null;
  courier_name: string | null;
}
