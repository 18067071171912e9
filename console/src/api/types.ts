// Names for answers of the admin API. Each is a part of schema.ts, which is generated from the OpenAPI document.
import type { Data, Row } from './address.ts';
import type { Operations } from './schema.ts';

type Answered<
  Name extends keyof Operations,
  Status extends keyof Operations[Name]['answers'],
> = Operations[Name]['answers'][Status] extends { data: infer D } ? D : never;

export type Session = Data<'/session', 'get'>;
export type Role = Session['role'];

export type User = Row<'/users'>;
/** With the one-time password, which only the creating answer contains. */
export type UserWithPassword = Answered<'postUsers', '201'>;
export type ListedSession = Row<'/sessions'>;
export type Token = Row<'/tokens'>;
/** With the secret, which only the creating answer contains. */
export type TokenWithSecret = Answered<'postTokens', '201'>;
export type Webhook = Row<'/webhooks'>;
export type WebhookEvent = Webhook['events'][number];
/** With the secret, which only the creating answer contains. */
export type WebhookWithSecret = Answered<'postWebhooks', '201'>;
export type WebhookDelivery = Answered<'getWebhooksByIdDeliveries', '200'>[number];
export type Alert = Row<'/alerts'>;
export type AlertRule = Data<'/alert-rules', 'get'>[number];
export type AuditEntry = Row<'/audit'>;
export type CommonCode = Answered<'getCommonCodesByGroup', '200'>[number];

export type Channel = Row<'/channels'>;
export type ChannelRequest = Row<'/channels/{id}/requests'>;
export type ChannelRef = Pick<Channel, 'id' | 'name'>;
/** With the key, which only the answer that created it contains. */
export type ChannelWithKey = Answered<'postChannels', '201'>;
export type SigningMode = Channel['signing']['mode'];
export type SigningSecret = Channel['signing']['secrets'][number];
export type NewSigningSecret = Answered<'postChannelsByIdSigningSecrets', '201'>;
export type ChecklistItem = Answered<'getChannelsByIdChecklist', '200'>['items'][number];

export type Mapping = Answered<'getChannelsByIdMappings', '200'>[number];
export type MappingImport = Answered<'postChannelsByIdMappingsImport', '200'>;
/** An unmapped SKU that a channel has requested. */
export type UnmappedSku = Answered<'getChannelsByIdUnmapped', '200'>[number];

export type Product = Row<'/products'>;
export type Variant = Product['variants'][number];

export type StockRow = Row<'/stock'>;
export type StockImport = Data<'/stock/import', 'post'>;
export type VariantRow = Row<'/variants'>;
export type StockDetail = Answered<'getStockByVariantCode', '200'>;
/** The body that sets the physical stock. */
export type StockCount = Operations['putStockByVariantCode']['body'];
export type StockChannel = StockDetail['channels'][number];
export type Movement = Answered<'getStockByVariantCodeMovements', '200'>[number];
/** An open order that holds an item. */
export type HoldingOrder = Answered<'getStockByVariantCodeOrders', '200'>[number];
export type AllocationRow = Row<'/allocations'>;
/** The effect of a change of allocations. */
export type AllocationResult = Answered<'putAllocations', '200'>[number];
export type AllocationCell = AllocationRow['cells'][number];

export type OrderRow = Row<'/orders'>;
export type OrderDetail = Answered<'getOrdersById', '200'>;
export type OrderLine = OrderDetail['items'][number];
export type Packing = Data<'/orders/packing', 'get'>;
export type PackedOrder = Packing['orders'][number];
export type PickedVariant = Packing['picks'][number];
export type OrderStatus = OrderRow['status'];
export type StatusReport = Operations['postOrdersByIdStatus']['body'];
export type ShipmentResult = Data<'/orders/shipments', 'post'>['results'][number];
export type BulkStatusResult = Data<'/orders/bulk-status', 'post'>;

/** A refused order, and what prevents its acceptance now. */
export type RefusedOrder = Row<'/refusals'>;
export type LateReport = Row<'/late-reports'>;
export type Backorder = Row<'/backorders'>;
export type BackorderedItem = Row<'/backorders/items'>;

export type ExchangeRate = Row<'/exchange-rates'>;
export type CurrentRates = Data<'/exchange-rates/current', 'get'>;
export type RateSource = Data<'/exchange-rate-source', 'get'>;
export type RateSourceRun = NonNullable<RateSource['last_run']>;
export type WaitingRate = RateSource['waiting'][number];
export type Overview = Data<'/overview', 'get'>;
/** A counter that differs from orders and ledger. */
export type Drift = Data<'/reconcile', 'get'>['drift'][number];

/** A channel's checked product information. */
export type ProductInfo = Answered<'postChannelsByIdProductInfo', '200'>;
export type ProductOption = ProductInfo['options'][number];
export type Violation = ProductInfo['violations'][number];
export type RegistrationChanges = NonNullable<ProductInfo['changes']>;
/** What applying a registration would do. */
export type RegistrationPlan = Exclude<
  Answered<'postChannelsByIdProductInfoApply', '200'>,
  RegistrationChanges
>;
