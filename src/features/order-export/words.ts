// The headings of the orders export and the names of statuses, in the languages of the console.
import type { Status } from '../../core/rules/transitions.ts';

export const EXPORT_LANGUAGES = ['en', 'ko'] as const;
export type ExportLanguage = (typeof EXPORT_LANGUAGES)[number];

/** Headings in the order of the columns. The keys are the names of the API. */
export const EXPORT_HEADINGS = {
  order_number: { en: 'Order number', ko: '주문 번호' },
  channel_name: { en: 'Channel', ko: '채널' },
  status: { en: 'Status', ko: '상태' },
  created_at: { en: 'Accepted at', ko: '접수 시각' },
  is_backorder: { en: 'Backorder', ko: '예약 주문' },
  recipient_name: { en: 'Recipient', ko: '받는 사람' },
  recipient_phone: { en: 'Phone', ko: '전화번호' },
  shipping_address: { en: 'Address', ko: '주소' },
  line: { en: 'Line', ko: '품목 순번' },
  sku: { en: 'Channel SKU', ko: '채널 SKU' },
  variant_code: { en: 'Item code', ko: '품목 코드' },
  product_code: { en: 'Product code', ko: '상품 코드' },
  product_name: { en: 'Product', ko: '상품명' },
  quantity: { en: 'Quantity', ko: '수량' },
  cancelled_quantity: { en: 'Cancelled quantity', ko: '취소 수량' },
  unit_price: { en: 'Unit price (KRW)', ko: '단가(원)' },
  total_amount: { en: 'Order total (KRW)', ko: '주문 합계(원)' },
  local_currency_code: { en: 'Currency', ko: '통화' },
  local_unit_price: { en: 'Unit price (local)', ko: '현지 단가' },
  local_total_amount: { en: 'Order total (local)', ko: '현지 주문 합계' },
  exchange_rate: { en: 'Exchange rate', ko: '환율' },
  courier_code: { en: 'Courier code', ko: '택배사 코드' },
  courier_name: { en: 'Courier', ko: '택배사' },
  tracking_number: { en: 'Tracking number', ko: '운송장 번호' },
  cancel_reason: { en: 'Cancellation reason', ko: '취소 사유' },
} as const satisfies Record<string, Record<ExportLanguage, string>>;
export type ExportColumn = keyof typeof EXPORT_HEADINGS;

export const STATUS_NAMES: Record<Status, Record<ExportLanguage, string>> = {
  0: { en: 'Awaiting payment', ko: '결제 대기' },
  1: { en: 'Paid', ko: '결제 완료' },
  2: { en: 'Preparing product', ko: '상품 준비' },
  9: { en: 'Preparing shipment', ko: '배송 준비' },
  3: { en: 'Shipped', ko: '출고 완료' },
  88: { en: 'Cancelled', ko: '취소' },
};
