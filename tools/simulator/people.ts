// Customers, addresses, prices and couriers, by the currency of the channel.

export interface Market {
  people: readonly string[];
  addresses: readonly string[];
  phone: string;
  /** Names as channels write them: codes of the group DELIVERY_COMPANY. */
  couriers: readonly string[];
  prices: readonly number[];
  /** Decimal places of prices. */
  decimals: 0 | 2;
}

const MARKETS: Readonly<Record<string, Market>> = {
  KRW: {
    people: ['김민지', '이서준', '박지우', '최하은', '정도윤', '강서연', '윤지호'],
    addresses: [
      '서울특별시 마포구 월드컵북로 12, 301호',
      '부산광역시 해운대구 센텀중앙로 48',
      '대전광역시 유성구 대학로 99',
    ],
    phone: '010-5550-0142',
    couriers: ['CJ대한통운', '한진택배', '롯데택배'],
    prices: [12_900, 45_000, 8_500, 29_000],
    decimals: 0,
  },
  JPY: {
    people: ['佐藤 結衣', '鈴木 蓮', '高橋 陽葵', '田中 湊'],
    addresses: ['東京都世田谷区桜新町 1-2-3', '大阪府大阪市北区中崎西 4-5-6'],
    phone: '090-5550-0142',
    couriers: ['ヤマト運輸', '佐川急便'],
    prices: [1_480, 3_980, 980],
    decimals: 0,
  },
  USD: {
    people: ['Emma Carter', 'Liam Brooks', 'Olivia Hayes', 'Noah Reed'],
    addresses: ['24 Alder Street, Portland, OR 97205', '810 Harbor Drive, San Diego, CA 92101'],
    phone: '+1 503 555 0142',
    couriers: ['UPS', 'USPS', 'FedEx'],
    prices: [12.9, 34.5, 9.99],
    decimals: 2,
  },
};

export function marketOf(currency: string): Market {
  const market = MARKETS[currency] ?? MARKETS['USD'];
  if (!market) throw new RangeError('the default market is missing');
  return market;
}
