// Why orders are rejected.
import { defineWords, useWords } from './words.ts';

/** Reasons for rejected orders; the keys are the service's outcome kinds. */
const reasonWords = defineWords({
  en: {
    sku_unmapped: 'SKU not mapped',
    sku_unmapped_text: 'The order contains a SKU that is not linked to an item.',
    stock_missing: 'No stock record',
    stock_missing_text: 'The item is mapped, but its stock has never been entered.',
    stock_insufficient: 'Not enough stock',
    stock_insufficient_text: 'More was ordered than the channel may sell.',
    quota_insufficient: 'Backorder quota used up',
    quota_insufficient_text: 'More backorders than the channel’s quota for the item allows.',
    limit_exceeded: 'Channel limit exceeded',
    limit_exceeded_text: 'More than a limit of the channel allows; see its policy.',
    order_number_taken: 'Order number taken',
    order_number_taken_text: 'Another channel has already used this order number.',
    channel_inactive: 'Channel inactive',
    channel_inactive_text: 'The channel is inactive, so its key is rejected.',
    invalid: 'Malformed order',
    invalid_text: 'Fields are missing or invalid. The channel’s developers need to fix this.',
    unknown_text: 'Unknown reason.',
  },
  ko: {
    sku_unmapped: '매핑되지 않은 SKU',
    sku_unmapped_text: '주문에 내부 품목과 연결되지 않은 SKU가 있습니다.',
    stock_missing: '재고 미등록',
    stock_missing_text: '매핑은 되어 있지만 재고가 한 번도 입력되지 않은 품목입니다.',
    stock_insufficient: '재고 부족',
    stock_insufficient_text: '채널이 판매할 수 있는 수량보다 많이 주문했습니다.',
    quota_insufficient: '예약 주문 한도 초과',
    quota_insufficient_text: '이 채널에 허용된 품목별 예약 주문 한도를 넘었습니다.',
    limit_exceeded: '채널 한도 초과',
    limit_exceeded_text: '채널에 설정된 한도를 넘었습니다. 채널의 정책을 확인하세요.',
    order_number_taken: '주문 번호 중복',
    order_number_taken_text: '다른 채널이 이미 쓴 주문 번호입니다.',
    channel_inactive: '비활성 채널',
    channel_inactive_text: '채널이 비활성 상태라 API 키가 거절됩니다.',
    invalid: '형식 오류',
    invalid_text: '필수 항목이 없거나 형식이 맞지 않습니다. 채널 개발 담당자가 확인해야 합니다.',
    unknown_text: '알 수 없는 사유입니다.',
  },
});

type Reason =
  | 'sku_unmapped'
  | 'stock_missing'
  | 'stock_insufficient'
  | 'quota_insufficient'
  | 'limit_exceeded'
  | 'order_number_taken'
  | 'channel_inactive'
  | 'invalid';

export const REASONS: readonly Reason[] = [
  'sku_unmapped',
  'stock_missing',
  'stock_insufficient',
  'quota_insufficient',
  'limit_exceeded',
  'order_number_taken',
  'channel_inactive',
  'invalid',
];

const isReason = (text: string): text is Reason => REASONS.some((reason) => reason === text);

/** The texts of a reason: a short name and a sentence. */
export function useReasons(): (reason: string) => { name: string; text: string } {
  const w = useWords(reasonWords);
  return (reason) =>
    isReason(reason)
      ? { name: w[reason], text: w[`${reason}_text`] }
      : { name: reason, text: w.unknown_text };
}
