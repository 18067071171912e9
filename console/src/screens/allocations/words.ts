import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Allocations',
    description:
      'What each channel holds for itself. A pre-allocation is taken out of the common stock; a backorder quota of 0 is no limit.',
    keys: 'Enter saves a cell, Escape puts it back, the up and down arrows move between items.',
    searchHint: 'Item code, product code or name',
    channelFilter: 'Items of channel',
    allChannels: 'All channels',
    common: 'Common',
    sum: (physical: string, unshipped: string, allocated: string, backordered: string) =>
      `${physical} − ${unshipped} − ${allocated} − ${backordered}`,
    sumHint: 'physical − unshipped − allocated − backordered',
    allocated: 'Allocated',
    quota: 'Quota',
    available: 'Available',
    allocatedOf: (item: string, channel: string) => `Pre-allocation of ${item} for ${channel}`,
    quotaOf: (item: string, channel: string) => `Backorder quota of ${item} for ${channel}`,
    noLimit: 'no limit',
    open: (n: string) => `Open backorders: ${n}`,
    notMapped: 'no SKU',
    beyondPhysical: (allocated: string, physical: string, by: string) =>
      `Pre-allocations (${allocated}) exceed the physical stock (${physical}) by ${by}.`,
    beyondPromised: (by: string) => `${by} more promised than there is: the common stock counts as 0.`,
    becomes: 'becomes',
    pending: (n: number) => (n === 1 ? 'One change not saved' : `${n} changes not saved`),
    elsewhere: (n: number) =>
      n === 1 ? 'one of them is not in this view' : `${n} of them are not in this view`,
    faulty: (n: number) => (n === 1 ? 'one is not a whole number' : `${n} are not whole numbers`),
    warnings: (n: number) =>
      n === 1
        ? 'One item would be allocated beyond its physical stock'
        : `${n} items would be allocated beyond their physical stock`,
    saveAll: (n: number) => (n === 1 ? 'Save change' : `Save ${n} changes`),
    discard: 'Discard all',
    discardTitle: 'Discard all changes?',
    discardText: (n: number) => (n === 1 ? 'One change is thrown away.' : `${n} changes are thrown away.`),
    saved: (n: number) => (n === 1 ? 'One change saved.' : `${n} changes saved.`),
    failed: (n: number) => (n === 1 ? 'One change was not saved:' : `${n} changes were not saved:`),
    stale: (before: string, now: string) =>
      `Changed by somebody else meanwhile: ${before} → ${now}. Save again to put your numbers in their place.`,
    pair: (allocated: string, quota: string) => `${allocated} (quota ${quota})`,
    wrong: 'A whole number from 0 to 2,147,483,647.',
    empty: 'Nothing to allocate yet',
    emptyText: 'Items appear here once they have a stock record and a channel maps them.',
    toStock: 'Go to stock',
  },
  ko: {
    title: '채널 배분',
    description:
      '채널마다 따로 잡아 둔 수량입니다. 사전 배분은 공용 재고에서 빠지며, 예약 주문 한도 0은 제한 없음을 뜻합니다.',
    keys: 'Enter는 칸 저장, Esc는 되돌리기, 위·아래 화살표는 품목 이동입니다.',
    searchHint: '품목 코드, 상품 코드 또는 이름',
    channelFilter: '채널의 품목',
    allChannels: '전체 채널',
    common: '공용',
    sum: (physical: string, unshipped: string, allocated: string, backordered: string) =>
      `${physical} − ${unshipped} − ${allocated} − ${backordered}`,
    sumHint: '실물 − 미출고 − 사전 배분 − 예약 주문',
    allocated: '사전 배분',
    quota: '예약 한도',
    available: '판매 가능',
    allocatedOf: (item: string, channel: string) => `${channel}의 ${item} 사전 배분`,
    quotaOf: (item: string, channel: string) => `${channel}의 ${item} 예약 주문 한도`,
    noLimit: '제한 없음',
    open: (n: string) => `진행 중 예약 주문: ${n}`,
    notMapped: 'SKU 없음',
    beyondPhysical: (allocated: string, physical: string, by: string) =>
      `사전 배분 합계(${allocated})가 실물 재고(${physical})보다 ${by}개 많습니다.`,
    beyondPromised: (by: string) => `약속된 수량이 실물보다 ${by}개 많아 공용 재고는 0으로 봅니다.`,
    becomes: '변경 후',
    pending: (n: number) => `저장하지 않은 변경 ${n}건`,
    elsewhere: (n: number) => `그중 ${n}건은 지금 화면에 없습니다`,
    faulty: (n: number) => `${n}건은 정수가 아닙니다`,
    warnings: (n: number) => `품목 ${n}개의 사전 배분이 실물 재고를 넘게 됩니다`,
    saveAll: (n: number) => `변경 ${n}건 저장`,
    discard: '모두 취소',
    discardTitle: '변경을 모두 취소할까요?',
    discardText: (n: number) => `변경 ${n}건이 사라집니다.`,
    saved: (n: number) => `변경 ${n}건을 저장했습니다.`,
    failed: (n: number) => `변경 ${n}건을 저장하지 못했습니다.`,
    stale: (before: string, now: string) =>
      `그사이 다른 사람이 바꿨습니다: ${before} → ${now}. 다시 저장하면 입력한 값으로 바뀝니다.`,
    pair: (allocated: string, quota: string) => `${allocated} (한도 ${quota})`,
    wrong: '0부터 2,147,483,647까지의 정수를 입력하세요.',
    empty: '배분할 품목이 없습니다',
    emptyText: '재고 정보가 있고 채널에 매핑된 품목이 여기에 나타납니다.',
    toStock: '재고로 가기',
  },
});
