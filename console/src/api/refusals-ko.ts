// Korean texts for refusals of the API, by code; in English the texts of the service are shown. test/architecture.test.ts
// compares the codes with those of the service.

/** Each fact is present only for some codes. */
type Facts = Readonly<
  Record<
    | 'allocated_qty'
    | 'barcode'
    | 'channel_id'
    | 'code'
    | 'counted'
    | 'email'
    | 'error_count'
    | 'mapped'
    | 'moved_since'
    | 'name'
    | 'order'
    | 'product_code'
    | 'quantity'
    | 'parts'
    | 'returnable'
    | 'secrets_max'
    | 'sku'
    | 'status'
    | 'taken_prefix'
    | 'variant_code'
    | 'variant_count'
    | 'written',
    string | number
  >
>;

const STATUS: Record<string, string> = {
  0: '결제 대기',
  1: '결제 완료',
  2: '상품 준비',
  9: '배송 준비',
  3: '출고 완료',
  88: '취소',
};

const KOREAN: Record<string, string | ((facts: Facts) => string)> = {
  account_inactive: '비활성 계정입니다.',
  account_required: '로그인한 계정이 필요합니다. 토큰으로는 할 수 없습니다.',
  alert_kind_unknown: '알림 종류가 없습니다.',
  allocation_insufficient: ({ variant_code, allocated_qty }) =>
    `옮길 수 있는 배분 수량이 부족합니다. ${variant_code}: ${allocated_qty}개`,
  allocations_refused: '저장할 수 없는 변경이 있어 아무것도 바꾸지 않았습니다.',
  api_url_missing: '이 채널에는 상품 정보 주소가 없습니다. 먼저 주소를 등록하세요.',
  barcode_taken: ({ barcode, variant_code }) => `다른 품목이 쓰는 바코드입니다. ${barcode}: ${variant_code}`,
  base_currency: '기준 통화의 환율은 항상 1입니다.',
  below_zero: ({ variant_code, quantity }) =>
    `실물 재고는 0보다 작을 수 없습니다. ${variant_code}: 현재 ${quantity}개`,
  beyond_limit: ({ variant_code, quantity }) =>
    `실물 재고가 저장할 수 있는 최대치를 넘습니다. ${variant_code}: 현재 ${quantity}개`,
  channel_archived: '보관된 채널입니다. 먼저 보관을 해제하세요.',
  channel_failed: '채널에서 상품 정보를 가져오지 못했습니다.',
  channel_holds_stock: ({ allocated_qty, variant_count }) =>
    `사전 배분이 남아 있어 보관할 수 없습니다. 품목 ${variant_count}개, ${allocated_qty}개를 먼저 회수하세요.`,
  channel_unknown: ({ channel_id }) => `채널이 없습니다: ${channel_id}`,
  commit_unknown: '저장되었는지 확인할 수 없습니다. 새로 고쳐서 확인하세요.',
  common_code_unknown: ({ code }) => `코드가 없습니다: ${code}`,
  count_below_zero: ({ counted, moved_since }) =>
    `실사 수량(${counted}개)보다 이후 출고가 많습니다(${moved_since}개).`,
  count_beyond_limit: '실사 수량이 저장할 수 있는 최대치를 넘습니다.',
  count_outdated: '이 품목은 그 뒤에 다시 실사했습니다. 이전 실사 수량은 저장하지 않습니다.',
  counted_again: ({ variant_code, variant_count }) =>
    `그 뒤에 다시 실사한 품목이 있어 되돌리지 않았습니다. ${variant_code} (품목 ${variant_count}개)`,
  credentials_changed: '로그인 정보가 바뀌었습니다. 다시 로그인하세요.',
  csrf: '요청을 확인할 수 없습니다. 화면을 새로 고친 뒤 다시 시도하세요.',
  delivery_unknown: '전송 기록이 없습니다.',
  demo_data_conflict: '이 데이터베이스에는 데모 데이터를 넣을 수 없습니다.',
  email_taken: ({ email }) => `이미 있는 계정입니다: ${email}`,
  exchange_rate_unknown: '환율이 없습니다. 이미 철회되었을 수 있습니다.',
  identity_email_taken: '다른 계정이 쓰는 이메일입니다.',
  identity_email_unverified: '로그인 제공자가 확인하지 않은 이메일입니다.',
  identity_role_lower: '마지막 관리자 계정인데, 로그인 제공자가 더 낮은 역할을 주었습니다.',
  insufficient_stock: '재고가 부족합니다.',
  invalid: '입력한 값을 확인하세요.',
  import_interrupted: ({ written, parts }) =>
    `목록의 ${parts}개 부분 중 ${written}개까지만 저장되었습니다. 저장된 부분을 되돌린 뒤 다시 보내세요.`,
  invalid_file: ({ error_count }) => `파일에 문제가 ${error_count}건 있어 아무것도 저장하지 않았습니다.`,
  invalid_transition: '지금 상태에서는 할 수 없는 변경입니다.',
  key_closed: '채널 키가 다른 비밀값으로 암호화되어 있습니다. 올바른 비밀값으로 시작하거나 새 키를 만드세요.',
  last_admin: '마지막 관리자입니다. 먼저 다른 관리자를 만드세요.',
  last_signing_secret: '서명이 필수인 동안에는 마지막 서명 비밀값을 제거할 수 없습니다.',
  late_report_unknown: '목록에 없는 항목입니다. 이미 지워졌을 수 있습니다.',
  mapping_unknown: ({ sku }) => `매핑이 없습니다: ${sku}`,
  name_taken: ({ name }) => `이미 쓰는 이름입니다: ${name}`,
  not_found: '없는 주소입니다.',
  nothing_to_apply: '모든 옵션이 숨겨져 있습니다. 적용할 옵션을 선택하세요.',
  option_configuration: '채널의 옵션 구성이 올바르지 않습니다.',
  order_erased: '개인정보가 삭제된 주문에는 메모를 남길 수 없습니다.',
  order_not_shipped: ({ status }) =>
    `출고된 주문에서만 할 수 있습니다. 현재 상태: ${STATUS[String(status)] ?? status}`,
  order_open: '출고되거나 취소된 주문의 개인정보만 삭제할 수 있습니다.',
  order_number_prefix_taken: ({ name, taken_prefix }) =>
    `다른 채널의 주문 번호 접두사와 겹칩니다. ${name}: ${taken_prefix}`,
  order_unknown: ({ order }) => `주문이 없습니다: ${order}`,
  password_change_required: '먼저 비밀번호를 변경하세요.',
  previous_key_unknown: '유효한 이전 키가 없습니다.',
  product_archived: ({ product_code }) => `보관된 상품입니다. 먼저 보관을 해제하세요: ${product_code}`,
  product_code_taken: ({ product_code }) => `이미 쓰는 상품 코드입니다: ${product_code}`,
  product_in_use: '매핑, 재고, 처리 중인 주문 또는 배분이 있는 품목이 있어 보관할 수 없습니다.',
  product_not_found: '채널에 없는 상품입니다.',
  product_unknown: ({ product_code }) => `상품이 없습니다: ${product_code}`,
  rate_quote_changed: '수집된 환율이 그 사이 바뀌었습니다. 새 값을 확인하세요.',
  rate_quote_unknown: '수집된 환율이 없습니다. 이미 처리되었을 수 있습니다.',
  rate_source_off: '환율 수집이 꺼져 있습니다.',
  rate_limited: '요청이 너무 많습니다. 잠시 후 다시 시도하세요.',
  real_orders_present: '실제 주문이 있는 데이터베이스입니다.',
  refused_order_unknown: '목록에 없는 항목입니다. 이미 지워졌을 수 있습니다.',
  return_exceeds_shipped: ({ returnable }) => `반품할 수 있는 수량은 ${returnable}개입니다.`,
  role_required: '이 작업을 할 권한이 없습니다.',
  second_factor_in_use: '이미 2단계 인증을 쓰고 있습니다.',
  second_factor_is_required: '2단계 인증이 필수라서 끌 수 없습니다.',
  second_factor_setup_required: '먼저 2단계 인증을 설정하세요.',
  second_factor_unused: '2단계 인증을 쓰지 않는 계정입니다.',
  second_factor_wrong: '인증 코드가 올바르지 않습니다.',
  session_unknown: '세션이 없습니다. 이미 끝났을 수 있습니다.',
  sign_in_failed: '이메일 또는 비밀번호가 올바르지 않습니다.',
  shipment_erased: '개인정보가 삭제된 주문의 배송 정보는 수정할 수 없습니다.',
  signing_secret_required: '서명을 필수로 하려면 먼저 서명 비밀값을 만드세요.',
  signing_secret_unknown: '서명 비밀값이 없습니다. 이미 제거되었을 수 있습니다.',
  signing_secrets_full: ({ secrets_max }) =>
    `서명 비밀값은 ${secrets_max}개까지 둘 수 있습니다. 하나를 먼저 제거하세요.`,
  stale: '그 사이 값이 바뀌었습니다. 새 값을 확인하고 다시 저장하세요.',
  stock_import_undone: '이미 되돌린 입력입니다.',
  stock_import_unknown: '되돌릴 수 있는 기간이 지났거나 없는 입력입니다.',
  stock_missing: ({ variant_code }) => `재고가 등록되지 않은 품목입니다: ${variant_code}`,
  stock_unknown: ({ variant_code }) => `재고가 등록되지 않은 품목입니다: ${variant_code}`,
  token_unknown: '유효한 토큰이 없습니다. 이미 폐기되었을 수 있습니다.',
  too_many_attempts: '시도가 너무 많았습니다. 잠시 기다렸다가 다시 시도하세요.',
  unmapped_sku_unknown: '목록에 없는 항목입니다. 이미 지워졌을 수 있습니다.',
  user_unknown: '사용자가 없습니다.',
  variant_code_taken: ({ variant_code }) => `이미 쓰는 품목 코드입니다: ${variant_code}`,
  variant_in_use: ({ variant_code, mapped }) =>
    Number(mapped) > 0
      ? `매핑된 품목은 보관할 수 없습니다. ${variant_code}: SKU ${mapped}개`
      : `재고, 처리 중인 주문 또는 배분이 있어 보관할 수 없습니다: ${variant_code}`,
  validation: '입력한 값을 확인하세요.',
  webhook_unknown: '웹훅이 없습니다.',
  webhooks_full: '웹훅을 더 만들 수 없습니다. 하나를 먼저 삭제하세요.',
  variant_archived: ({ variant_code }) =>
    `보관된 품목이거나 보관된 상품의 품목입니다. 먼저 보관을 해제하세요. ${variant_code}`,
  variant_unknown: ({ variant_code }) => `품목이 없습니다: ${variant_code}`,
};

/** undefined: no text for this code, or no code. */
export function refusalInKorean(body: { code?: unknown; details?: unknown } | null): string | undefined {
  const words = typeof body?.code === 'string' ? KOREAN[body.code] : undefined;
  if (typeof words !== 'function') return words;
  return words((body?.details ?? {}) as Facts);
}
