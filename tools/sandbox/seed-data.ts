// The test data after every reset: three channels with a SKU for each situation, and the shops of docs/channels. All keys
// and secrets are fixed.
import type { RateLimit } from '../../src/core/rules/rate-limit.ts';
import type { SigningMode } from '../../src/core/rules/signature.ts';

export interface TestChannel {
  /** Also the prefix of its SKUs and order numbers. */
  country_code: 'KR' | 'JP' | 'US';
  name: string;
  /** 7e57 marks a test key; the service never generates such a key. */
  api_key: string;
  courier_code: string;
  /** In the channel's currency. */
  unit_price: number;
}

export const TEST_CHANNELS: readonly TestChannel[] = [
  {
    country_code: 'KR',
    name: '서울 상점 (Sandbox KR)',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000001',
    courier_code: 'CJ대한통운',
    unit_price: 15_000,
  },
  {
    country_code: 'JP',
    name: '東京ショップ (Sandbox JP)',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000002',
    courier_code: 'ヤマト運輸',
    unit_price: 1_600,
  },
  {
    country_code: 'US',
    name: 'Pacific Store (Sandbox US)',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000003',
    courier_code: 'UPS',
    unit_price: 10.5,
  },
];

export interface Situation {
  /** SKUs without the channel's prefix. Several are aliases of one internal SKU. */
  skus: readonly string[];
  product_code: string;
  product_name: string;
  variant_code: string;
  power: string | null;
  /** null: no stock record */
  quantity: number | null;
  /** The same for every channel. */
  allocated_qty: number;
  reserve_quota: number;
  about: string;
}

const situation = (
  given: Pick<Situation, 'skus' | 'product_code' | 'product_name' | 'quantity' | 'about'> &
    Partial<Situation>,
): Situation => ({
  variant_code: `${given.product_code}-STD`,
  power: null,
  allocated_qty: 0,
  reserve_quota: 0,
  ...given,
});

export const SITUATIONS: readonly Situation[] = [
  situation({
    skus: ['PLENTY'],
    product_code: 'TOWEL',
    product_name: '면 수건 · Cotton Towel',
    quantity: 100_000,
    about: 'plenty of stock, shared by all channels',
  }),
  situation({
    skus: ['LAST-ONE'],
    product_code: 'VASE',
    product_name: '유리 꽃병 · Glass Vase',
    quantity: 3,
    allocated_qty: 1,
    about: 'one piece, pre-allocated to this channel: the second order is refused',
  }),
  situation({
    skus: ['SOLD-OUT'],
    product_code: 'LAMP',
    product_name: '책상 램프 · Desk Lamp',
    quantity: 0,
    about: 'sold out; a backorder is taken without a limit, as there is no quota',
  }),
  situation({
    skus: ['BACKORDER'],
    product_code: 'CHAIR',
    product_name: '나무 의자 · Wooden Chair',
    quantity: 0,
    reserve_quota: 20,
    about: 'sold out with a quota of 20 for backorders, of which 2 are used',
  }),
  situation({
    skus: ['NO-STOCK-RECORD'],
    product_code: 'GIFTBOX',
    product_name: '선물 상자 · Gift Box',
    quantity: null,
    about: 'mapped, but never counted: lookups say 0, orders are refused',
  }),
  situation({
    skus: ['LENS-1.00'],
    product_code: 'MOON1M',
    product_name: '문라이트 먼슬리 렌즈 좌우 세트 · Moonlight Monthly Set',
    variant_code: 'MOON1M--1.00',
    power: '-1.00',
    quantity: 500,
    about: 'a set: left and right are two lines of an order with this one SKU',
  }),
  situation({
    skus: ['SOAP', 'SOAP-GIFT'],
    product_code: 'SOAP',
    product_name: '올리브 비누 · Olive Soap',
    quantity: 500,
    about: 'two SKUs for one product: one stock',
  }),
];

/** KRW for one unit. */
export const RATES = [
  { currency_code: 'JPY', rate: '9.1234' },
  { currency_code: 'USD', rate: '1385.5' },
] as const;

/** A shop of the examples in docs/channels. */
export interface DocsShop {
  name: string;
  country_code: string;
  /** The variable of its key in the pages. */
  variable: string;
  api_key: string;
  /** SKU to internal SKU. */
  skus: Readonly<Record<string, string>>;
  signing?: { mode: SigningMode; secret: string };
  rate_limit?: RateLimit;
  /** Unpaid orders are cancelled after this time. */
  prepayment_expiry_minutes?: number;
  about: string;
}

export const DOCS_SHOPS: readonly DocsShop[] = [
  {
    name: 'Example shop (docs)',
    country_code: 'KR',
    variable: 'SLUICE_KEY',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000004',
    skus: {
      'SHOP-DAY-100': 'DAY--1.00',
      'SHOP-MUG': 'MUG-L',
      'SHOP-MUG-GIFT': 'MUG-L',
      'SHOP-POSTER': 'POSTER-A2',
      'SHOP-TEA': 'TEA-100',
    },
    signing: { mode: 'accepted', secret: 'sls_7e57AgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4' },
    prepayment_expiry_minutes: 60,
    about: 'the shop of the examples; signed requests are accepted, unpaid orders expire after 60 minutes',
  },
  {
    name: 'Tokyo shop (docs)',
    country_code: 'JP',
    variable: 'TOKYO_KEY',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000005',
    skus: { 'TYO-MUG': 'MUG-L' },
    about: 'prices in yen',
  },
  {
    name: 'London shop (docs)',
    country_code: 'GB',
    variable: 'LONDON_KEY',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000006',
    skus: { 'LDN-MUG': 'MUG-L' },
    about: 'prices in pounds, for which there is no rate',
  },
  {
    name: 'Limited shop (docs)',
    country_code: 'KR',
    variable: 'LIMITED_KEY',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000007',
    skus: { 'LIM-MUG': 'MUG-L' },
    rate_limit: { requests_per_minute: 1, burst: 1 },
    about: 'one request a minute: the second one gets 429',
  },
  {
    name: 'Signing shop (docs)',
    country_code: 'KR',
    variable: 'SIGNED_KEY',
    api_key: 'sluice_7e577e57-0000-4000-8000-000000000008',
    skus: { 'SIG-MUG': 'MUG-L' },
    signing: { mode: 'required', secret: 'sls_7e57HyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs' },
    about: 'must sign every request',
  },
];

/** The keys with which a reset can be requested. */
export const TEST_KEYS: readonly string[] = [...TEST_CHANNELS, ...DOCS_SHOPS].map(({ api_key }) => api_key);

/** The variables of the pages, except the base URL. */
export const DOCS_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  DOCS_SHOPS.flatMap(({ variable, api_key, signing }) => [
    [variable, api_key],
    ...(signing
      ? [[variable === 'SLUICE_KEY' ? 'SLUICE_SIGNING_SECRET' : 'SIGNED_SECRET', signing.secret]]
      : []),
  ]),
);

export const DOCS_PRODUCTS = [
  { code: 'DAY', name: 'Clear Day', variant: 'DAY--1.00', power: '-1.00', quantity: 40 },
  { code: 'MUG', name: 'Blue mug', variant: 'MUG-L', power: null, quantity: 100 },
  { code: 'POSTER', name: 'Poster', variant: 'POSTER-A2', power: null, quantity: null },
  { code: 'TEA', name: 'Green tea', variant: 'TEA-100', power: null, quantity: 3 },
] as const;

/** The quota of the first shop. */
export const DOCS_QUOTA = { variant: 'TEA-100', reserve_quota: 10 };

/**
 * An order number of another shop, which the first shop must not use. The order is cancelled, so that it holds
 * no stock.
 */
export const DOCS_TAKEN_ORDER = { shop: 'TOKYO_KEY', number: 'TYO-1', sku: 'TYO-MUG', unit_price: 1990 };

export interface TestOrder {
  /** Without the channel's prefix. */
  number: string;
  sku: string;
  quantity: number;
  is_backorder: boolean;
  /** Its final status. */
  status: 0 | 1 | 2 | 9 | 3 | 88;
  about: string;
}

const order = (status: TestOrder['status'], about: string): TestOrder => ({
  number: `ORDER-${status}`,
  sku: 'PLENTY',
  quantity: 2,
  is_backorder: false,
  status,
  about,
});

export const ORDERS: readonly TestOrder[] = [
  order(0, 'before payment'),
  order(1, 'paid'),
  order(2, 'in product preparation'),
  order(9, 'in shipping preparation'),
  order(3, 'shipped: final'),
  order(88, 'cancelled: final'),
  {
    number: 'ORDER-SHORT',
    sku: 'BACKORDER',
    quantity: 2,
    is_backorder: true,
    status: 1,
    about: 'a paid backorder: shipping it is answered with insufficient_stock',
  },
];
