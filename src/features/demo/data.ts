// The demo: a shop for contact lenses and accessories in Korea, Japan and the United States.
import type { ChannelFields } from '../../core/channels/store.ts';
import type { MappingLine } from '../../core/mappings/import.ts';
import type { ProductRow } from '../../core/products/import.ts';
import type { StockRow } from '../../core/stock/import.ts';

interface DemoLens {
  code: string;
  name: string;
  /** from the weakest to the strongest, in steps of a quarter dioptre */
  powers: readonly [number, number];
}

/** Left and right of a set are the same item, so there is one variant per power (contract 4.5.18b). */
const LENSES: readonly DemoLens[] = [
  { code: 'AQUA1D', name: '아쿠아 원데이 렌즈 30P · Aqua Daily Lens 30P', powers: [-0.5, -6] },
  { code: 'MOON1M', name: '문라이트 먼슬리 렌즈 좌우 세트 · Moonlight Monthly Set', powers: [-1, -5] },
  { code: 'HAZEL1M', name: '헤이즐 컬러렌즈 좌우 세트 · Hazel Colour Lens Set', powers: [0, -4] },
];

interface DemoGoods {
  code: string;
  name: string;
  options: readonly string[];
}

const GOODS: readonly DemoGoods[] = [
  { code: 'CARE-SOL', name: '렌즈 세척액 · Lens Care Solution', options: ['120ML', '355ML', '500ML'] },
  { code: 'CARE-DROP', name: '인공눈물 · Rewetting Drops', options: ['10ML', '30X0.5ML'] },
  { code: 'CASE', name: '렌즈 케이스 · Lens Case', options: ['WHITE', 'MINT', 'NAVY'] },
  { code: 'TWEEZER', name: '렌즈 집게 세트 · Lens Tweezers', options: ['STD'] },
  { code: 'GLASS-CLOTH', name: '안경 클리너 천 · Glasses Cloth', options: ['S', 'L'] },
  { code: 'POUCH', name: '휴대용 파우치 · Travel Pouch', options: ['BLACK', 'PINK'] },
  { code: 'SUNGLASS', name: '클래식 선글라스 · Classic Sunglasses', options: ['BLACK', 'BROWN'] },
  { code: 'GIFTBOX', name: '선물 상자 · Gift Box', options: ['STD'] },
];

const POWER_STEP = 0.25;

/** As opticians write it: -1.25, and 0.00 for plano. */
function powersOf([weakest, strongest]: DemoLens['powers']): string[] {
  const steps = Math.round((weakest - strongest) / POWER_STEP);
  return Array.from({ length: steps + 1 }, (_, step) => (weakest - step * POWER_STEP).toFixed(2));
}

const lensRows = LENSES.flatMap((lens) =>
  powersOf(lens.powers).map((power) => ({
    line: 0,
    product_code: lens.code,
    product_name: lens.name,
    variant_code: `${lens.code}-${power}`,
    power,
  })),
);
const goodsRows = GOODS.flatMap((goods) =>
  goods.options.map((option) => ({
    line: 0,
    product_code: goods.code,
    product_name: goods.name,
    variant_code: `${goods.code}-${option}`,
    power: null,
  })),
);

export const DEMO_PRODUCTS: readonly ProductRow[] = [...lensRows, ...goodsRows];

/** A gift box is listed before its first delivery: mapped, but without a stock row. */
const WITHOUT_STOCK = 'GIFTBOX-STD';
const SOLD_OUT = 'SUNGLASS-BROWN';
const QUANTITY_MIN = 20;
const QUANTITY_SPREAD = 480;

export const DEMO_STOCK: readonly StockRow[] = DEMO_PRODUCTS.filter(
  ({ variant_code }) => variant_code !== WITHOUT_STOCK,
).map(({ variant_code }, index) => ({
  line: 0,
  variant_code,
  quantity: variant_code === SOLD_OUT ? 0 : QUANTITY_MIN + ((index * 137) % QUANTITY_SPREAD),
  reason: 'demo data',
}));

export interface DemoChannel {
  readonly fields: ChannelFields;
  readonly mappings: readonly MappingLine[];
  readonly allocations: readonly { variant_code: string; allocated_qty: number; reserve_quota: number }[];
}

const channel = (name: string, country_code: string): ChannelFields => ({
  name,
  country_code,
  api_url: null,
  is_active: true,
});

const mappingsOf = (rows: readonly ProductRow[], skuOf: (code: string) => string): MappingLine[] =>
  rows.map(({ variant_code }) => ({ line: 0, sku: skuOf(variant_code), variant_code }));

const allocationsOf = (product: string, allocated_qty: number, reserve_quota: number) =>
  DEMO_PRODUCTS.filter(({ product_code }) => product_code === product).map(({ variant_code }) => ({
    variant_code,
    allocated_qty,
    reserve_quota,
  }));

export const DEMO_CHANNELS: readonly DemoChannel[] = [
  {
    fields: channel('서울 렌즈샵 (Demo KR)', 'KR'),
    // This shop sells the left and the right lens of a set under two SKUs.
    mappings: [
      ...mappingsOf(DEMO_PRODUCTS, (code) => `KR-${code}`),
      ...mappingsOf(
        lensRows.filter(({ product_code }) => product_code === 'MOON1M'),
        (code) => `KR-${code}-L`,
      ),
      ...mappingsOf(
        lensRows.filter(({ product_code }) => product_code === 'MOON1M'),
        (code) => `KR-${code}-R`,
      ),
    ],
    allocations: allocationsOf('AQUA1D', 10, 50),
  },
  {
    fields: channel('東京コンタクト (Demo JP)', 'JP'),
    mappings: mappingsOf(DEMO_PRODUCTS, (code) => `JP-${code}`),
    allocations: allocationsOf('HAZEL1M', 15, 30),
  },
  {
    fields: channel('Pacific Optics (Demo US)', 'US'),
    mappings: mappingsOf([...lensRows.slice(0, 10), ...goodsRows], (code) => `US-${code}`),
    allocations: [
      ...allocationsOf('CARE-SOL', 5, 0),
      // A quota without a pre-allocation: the sold-out item can still be ordered ahead.
      { variant_code: SOLD_OUT, allocated_qty: 0, reserve_quota: 25 },
    ],
  },
];

/** KRW for one unit. */
export const DEMO_RATES: readonly { currency_code: string; rate: string }[] = [
  { currency_code: 'JPY', rate: '9.35' },
  { currency_code: 'USD', rate: '1385.5' },
];

/** The code is the courier's name as channels write it (contract 4.4.4). */
export const DEMO_COURIERS: readonly { code: string; name: string; aliases?: readonly string[] }[] = [
  { code: 'CJ대한통운', name: 'CJ대한통운 (CJ Logistics)', aliases: ['CJ', 'CJ Logistics', '대한통운'] },
  { code: '한진택배', name: '한진택배 (Hanjin Express)', aliases: ['Hanjin', '한진'] },
  { code: '롯데택배', name: '롯데택배 (Lotte Global Logistics)', aliases: ['Lotte', '롯데'] },
  { code: '우체국택배', name: '우체국택배 (Korea Post)', aliases: ['Korea Post', '우체국'] },
  { code: 'ヤマト運輸', name: 'ヤマト運輸 (Yamato Transport)', aliases: ['Yamato', 'ヤマト'] },
  { code: '佐川急便', name: '佐川急便 (Sagawa Express)', aliases: ['Sagawa', '佐川'] },
  { code: 'FedEx', name: 'FedEx' },
  { code: 'UPS', name: 'UPS' },
  { code: 'USPS', name: 'USPS' },
];
