// What is in the sandbox after every reset: three channels with keys that never change, and a SKU for each situation.

export interface TestChannel {
  /** Also the prefix of its SKUs and order numbers. */
  country_code: 'KR' | 'JP' | 'US';
  name: string;
  /** 7e57: recognisable as a key for tests, and no key that the service would ever make. */
  api_key: string;
  courier_code: string;
  /** In its own currency. */
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
  /** Behind the prefix of the channel; several: aliases of one internal SKU. */
  skus: readonly string[];
  product_code: string;
  product_name: string;
  variant_code: string;
  power: string | null;
  /** null: no stock record */
  quantity: number | null;
  /** The same for each channel. */
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
    skus: ['LENS-1.00-L', 'LENS-1.00-R'],
    product_code: 'MOON1M',
    product_name: '문라이트 먼슬리 렌즈 좌우 세트 · Moonlight Monthly Set',
    variant_code: 'MOON1M--1.00',
    power: '-1.00',
    quantity: 500,
    about: 'left and right of a set: two SKUs, one stock',
  }),
];

/** KRW for one unit. */
export const RATES = [
  { currency_code: 'JPY', rate: '9.35' },
  { currency_code: 'USD', rate: '1385.5' },
] as const;

export interface TestOrder {
  /** Behind the prefix of the channel. */
  number: string;
  sku: string;
  quantity: number;
  is_backorder: boolean;
  /** What it is brought to from its intake. */
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
