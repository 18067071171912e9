import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Stock',
    description:
      'Physical − unshipped − allocated − backordered = common, at least 0. A channel may sell the common stock and its own pre-allocation, but never more than the physical stock.',
    searchHint: 'Item code, product code or name',
    below: 'Common below',
    belowHint: 'any',
    overcommitted: 'Overcommitted only',
    soldOut: 'Sold out',
    empty: 'No stock yet',
    emptyText: 'Register a product and set the quantity of its items; they appear here.',
    toProducts: 'Go to products',
  },
  ko: {
    title: '재고',
    description:
      '실물 − 미출고 − 사전 배분 − 예약 주문 = 공용 재고(0 미만이면 0). 채널은 공용 재고에 자기 사전 배분을 더한 만큼, 다만 실물이 있는 만큼만 팔 수 있습니다.',
    searchHint: '품목 코드, 상품 코드 또는 이름',
    below: '공용 재고 미만',
    belowHint: '전체',
    overcommitted: '초과 배분만',
    soldOut: '품절',
    empty: '아직 재고가 없습니다',
    emptyText: '상품을 등록하고 품목의 수량을 입력하면 여기에 나타납니다.',
    toProducts: '상품으로 가기',
  },
});
