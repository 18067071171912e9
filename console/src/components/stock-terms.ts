// The terms of the stock formula, with the same names on all screens.
import { defineWords } from '../i18n/words.ts';

/** Prefixes of the API paths that any change of stock or allocations makes stale. */
export const STALE_PATHS = ['/stock', '/allocations', '/overview'];

export const terms = defineWords({
  en: {
    physical: 'Physical',
    unshipped: 'Unshipped',
    allocated: 'Allocated',
    backordered: 'Backordered',
    common: 'Common',
    available: 'Available',
    allocation: 'Pre-allocation',
    quota: 'Backorder quota',
    quotaLeft: 'Quota left',
    noLimit: 'no limit',
    facts: 'Attributes',
    overcommittedBy: (n: string) => `Overcommitted by ${n}`,
  },
  ko: {
    physical: '실물',
    unshipped: '미출고',
    allocated: '사전 배분',
    backordered: '예약 주문',
    common: '공용',
    available: '판매 가능',
    allocation: '사전 배분',
    quota: '예약 주문 한도',
    quotaLeft: '한도 잔여',
    noLimit: '제한 없음',
    facts: '속성',
    overcommittedBy: (n: string) => `초과 배분 ${n}개`,
  },
});
