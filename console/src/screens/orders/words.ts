import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Orders',
    description: 'Orders of all channels, newest first.',
    number: 'Order number',
    search: 'Number, recipient, phone, tracking, SKU',
    searchTooShort: 'Type at least 3 characters.',
    filters: (n: number) => (n === 0 ? 'Filters' : `Filters (${n})`),
    anyDay: 'Accepted: any day',
    columns: 'Columns',
    views: 'Views',
    viewName: 'Name of the view',
    saveView: 'Save view',
    deleteView: (name: string) => `Delete the view ${name}`,
    export: 'Export',
    exportExcel: 'Excel (.xlsx)',
    exportCsv: 'CSV',
    totals: (n: string, isComplete: boolean, isOne: boolean) =>
      `${n}${isComplete ? '' : '+'} ${isOne ? 'order' : 'orders'}`,
    newOrders: (n: number, isMore: boolean) => `${n}${isMore ? '+' : ''} new ${n === 1 ? 'order' : 'orders'}`,
    allStatuses: 'All statuses',
    refresh: 'Refresh',
    lines: 'Lines',
    amount: 'Amount',
    erased: 'Erased',
    shipment: 'Shipment',
    acceptedAt: 'Accepted at',
    empty: 'No orders yet',
    emptyText: 'Orders appear here as soon as a channel sends one.',
    bar: 'Selected orders',
    commonMoves: 'Only changes that all selected orders allow are shown.',
    tooMany: (max: number) => `At most ${max} orders can be changed at once.`,
    finished: (n: number) =>
      n === 1 ? '1 is already shipped or cancelled.' : `${n} are already shipped or cancelled.`,
    dropFinal: (n: number) => `Deselect ${n === 1 ? 'it' : 'them'}`,
    keepFirst: (max: number) => `Keep the first ${max}`,
    clearSelection: 'Clear selection',
    askMany: (n: number, status: string) =>
      n === 1 ? `Move 1 order to “${status}”?` : `Move ${n} orders to “${status}”?`,
    askText: 'This cannot be undone.',
    shipMany: (n: number) => (n === 1 ? 'Ship 1 order' : `Ship ${n} orders`),
    cancelMany: (n: number) => (n === 1 ? 'Cancel 1 order' : `Cancel ${n} orders`),
    shipHint:
      'One tracking number per order. Paste a column into the first field to fill the fields below, or order numbers and tracking numbers into any field.',
    courierForAll: 'Courier for all',
    differs: 'As chosen below',
    trackingOf: (number: string) => `Tracking number of ${number}`,
    courierOf: (number: string) => `Courier of ${number}`,
    results: 'Results',
    result: 'Result',
    done: (status: string) => `Done: ${status}`,
    allDone: (n: number) => (n === 1 ? 'The order was updated.' : `All ${n} orders were updated.`),
    someFailed: (done: number, failed: number) =>
      `${done} updated, ${failed} failed. Failed orders stay selected.`,
  },
  ko: {
    title: '주문',
    description: '모든 채널의 주문을 최신순으로 보여 줍니다.',
    number: '주문 번호',
    search: '주문 번호, 받는 사람, 전화, 운송장, SKU',
    searchTooShort: '한글은 2자, 그 밖에는 3자 이상 입력하세요.',
    filters: (n: number) => (n === 0 ? '필터' : `필터 (${n})`),
    anyDay: '접수일: 전체 기간',
    columns: '열 선택',
    views: '보기',
    viewName: '보기 이름',
    saveView: '보기 저장',
    deleteView: (name: string) => `보기 ${name} 삭제`,
    export: '내보내기',
    exportExcel: '엑셀 (.xlsx)',
    exportCsv: 'CSV',
    totals: (n: string, isComplete: boolean) => `주문 ${n}${isComplete ? '' : '+'}건`,
    newOrders: (n: number, isMore: boolean) => `새 주문 ${n}${isMore ? '+' : ''}건`,
    allStatuses: '전체 상태',
    refresh: '새로 고침',
    lines: '품목 수',
    amount: '금액',
    erased: '파기됨',
    shipment: '배송',
    acceptedAt: '접수 시각',
    empty: '아직 주문이 없습니다',
    emptyText: '채널이 주문을 보내면 바로 여기에 나타납니다.',
    bar: '선택한 주문',
    commonMoves: '선택한 주문 모두에 가능한 처리만 표시됩니다.',
    tooMany: (max: number) => `한 번에 ${max}건까지 처리할 수 있습니다.`,
    finished: (n: number) => `${n}건은 이미 출고되었거나 취소되었습니다.`,
    dropFinal: (n: number) => `${n}건 선택 해제`,
    keepFirst: (max: number) => `앞의 ${max}건만 남기기`,
    clearSelection: '선택 해제',
    askMany: (n: number, status: string) => `주문 ${n}건을 ‘${status}’ 상태로 바꿀까요?`,
    askText: '이전 상태로는 되돌릴 수 없습니다.',
    shipMany: (n: number) => `주문 ${n}건 출고`,
    cancelMany: (n: number) => `주문 ${n}건 취소`,
    shipHint:
      '주문마다 운송장 번호를 하나씩 입력합니다. 첫 칸에 한 열을 붙여 넣으면 아래 칸까지 채워지고, 주문 번호와 운송장 번호를 함께 붙여 넣으면 각 주문에 들어갑니다.',
    courierForAll: '택배사 일괄 선택',
    differs: '아래에서 각각 선택',
    trackingOf: (number: string) => `${number} 운송장 번호`,
    courierOf: (number: string) => `${number} 택배사`,
    results: '처리 결과',
    result: '결과',
    done: (status: string) => `완료: ${status}`,
    allDone: (n: number) => `주문 ${n}건을 모두 처리했습니다.`,
    someFailed: (done: number, failed: number) =>
      `${done}건 처리, ${failed}건 실패. 실패한 주문은 선택된 채로 남습니다.`,
  },
});

/** Status changes, for the list and for a single order. */
export const moveWords = defineWords({
  en: {
    do1: 'Mark as paid',
    do2: 'Prepare product',
    do9: 'Prepare shipment',
    do3: 'Ship',
    do88: 'Cancel order',
    do88Many: 'Cancel orders',
    tracking: 'Tracking number',
    courier: 'Courier',
    noCourier: 'No courier',
    cancelText:
      'The stock held by the order becomes available again. A cancellation cannot be undone. Tell the channel if it does not know.',
    reasonHint: 'Stored with the order.',
    impossible: (to: string) => `The order can no longer become “${to}”.`,
    impossibleFrom: (from: string, to: string) =>
      from === to
        ? `The order is already “${to}”.`
        : `The order is “${from}” now and can no longer become “${to}”.`,
    short: (sku: string, available: string, requested: string) =>
      `Not enough physical stock of ${sku}: ${requested} needed, ${available} in the warehouse. Ship it when stock arrives.`,
    shortSomewhere: 'Not enough physical stock for this order. Ship it when stock arrives.',
    gone: 'This order was not found.',
    unknown: 'There is no order with this number.',
    ambiguous: 'The list names this order more than once.',
    unauthorized: 'Your session ended before this order was shipped.',
    numberMissing: 'The row has no order number.',
    trackingMissing: 'The row has no tracking number.',
    numberRounded: 'A spreadsheet has rounded this number. Format the column as text and export again.',
    unavailable: 'The service was too busy. Check the order, then try again.',
    broke: 'An error occurred in the service. Check the order before you try again.',
  },
  ko: {
    do1: '결제 완료 처리',
    do2: '상품 준비 처리',
    do9: '배송 준비 처리',
    do3: '출고 처리',
    do88: '주문 취소',
    do88Many: '주문 취소',
    tracking: '운송장 번호',
    courier: '택배사',
    noCourier: '택배사 없음',
    cancelText:
      '이 주문이 잡고 있던 수량은 다시 판매할 수 있게 됩니다. 취소한 주문은 되돌릴 수 없습니다. 채널이 모르고 있다면 따로 알려 주세요.',
    reasonHint: '주문과 함께 기록됩니다.',
    impossible: (to: string) => `이 주문은 더 이상 ‘${to}’ 상태로 바꿀 수 없습니다.`,
    impossibleFrom: (from: string, to: string) =>
      from === to
        ? `이 주문은 이미 ‘${to}’ 상태입니다.`
        : `이 주문은 지금 ‘${from}’ 상태라서 ‘${to}’ 상태로 바꿀 수 없습니다.`,
    short: (sku: string, available: string, requested: string) =>
      `${sku} 실물 재고가 부족합니다. 필요 ${requested}개, 보유 ${available}개입니다. 입고한 뒤 출고하세요.`,
    shortSomewhere: '이 주문을 출고할 실물 재고가 부족합니다. 입고한 뒤 출고하세요.',
    gone: '주문을 찾을 수 없습니다.',
    unknown: '이 번호의 주문이 없습니다.',
    ambiguous: '목록에 같은 주문이 두 번 이상 있습니다.',
    unauthorized: '출고하기 전에 세션이 끝났습니다.',
    numberMissing: '주문 번호가 없는 행입니다.',
    trackingMissing: '운송장 번호가 없는 행입니다.',
    numberRounded: '스프레드시트가 번호를 반올림했습니다. 열을 텍스트 서식으로 바꿔 다시 내보내세요.',
    unavailable: '서비스가 바빠서 처리하지 못했습니다. 주문을 확인한 뒤 다시 시도하세요.',
    broke: '서비스 내부에서 오류가 났습니다. 다시 시도하기 전에 주문을 확인하세요.',
  },
});

/** Shipping from a carrier's list, pick and packing lists, and orders that can share a parcel. */
export const listWords = defineWords({
  en: {
    open: 'Ship from a list',
    title: 'Ship from a list',
    resultTitle: 'Results',
    hint: 'The list of the carrier, from a spreadsheet or a CSV file: order number, tracking number and, if you like, courier. The columns may be in any order.',
    paste: 'Paste the list',
    courierForRest: 'Courier of rows without one',
    noRows: 'The list is empty.',
    tooManyRows: (max: number) => `At most ${max} rows at once.`,
    noColumns: 'The list needs at least two columns: order number and tracking number.',
    columns: 'Columns',
    noColumn: 'None',
    number: 'Order number',
    check: 'Check',
    back: 'Back to the list',
    ship: (n: number) => (n === 1 ? 'Ship 1 order' : `Ship ${n} orders`),
    line: 'Row',
    lineOf: (line: number) => `Row ${line}`,
    moreItems: (n: string) => `${n} more`,
    cancelledLine: 'Cancelled:',
    unknownCourier: (text: string) => `Unknown courier: ${text}`,
    rowsOf: (n: string) => `Rows of the list: ${n}`,
    moreRows: (n: string) => `${n} more rows are not shown; they are shipped with the others.`,
    willShip: 'Can be shipped',
    shipped: 'Shipped',
    already: 'Was shipped before; its tracking number stays as it is',
    verdict: (ready: number, failed: number, before: number) =>
      [
        ready === 1 ? '1 order can be shipped.' : `${ready} orders can be shipped.`,
        failed === 0 ? '' : `${failed} cannot; they come first.`,
        before === 0 ? '' : `${before} already shipped.`,
        'Nothing has been changed yet.',
      ]
        .filter((text) => text !== '')
        .join(' '),
    done: (shipped: number, failed: number, before: number) =>
      [
        shipped === 1 ? '1 order was shipped.' : `${shipped} orders were shipped.`,
        failed === 0
          ? ''
          : `${failed} failed; they come first and stay above the order list until you dismiss them.`,
        before === 0 ? '' : `${before} already shipped.`,
      ]
        .filter((text) => text !== '')
        .join(' '),
    keptTitle: (n: number) => (n === 1 ? '1 order was not shipped' : `${n} orders were not shipped`),
    dismiss: 'Dismiss',
    pasteUnknown: (n: number, first: string) =>
      n === 1
        ? `${first} is not among the selected orders.`
        : `${first} and ${n - 1} more are not among the selected orders.`,
    pickList: 'Pick list',
    packingList: 'Packing list',
    together: (n: number) => (n === 1 ? '1 more order' : `${n} more orders`),
    togetherOf: (n: number, name: string) =>
      `${n === 1 ? '1 more order' : `${n} more orders`} for ${name}: select them all`,
  },
  ko: {
    open: '목록으로 출고',
    title: '목록으로 출고',
    resultTitle: '처리 결과',
    hint: '택배사가 보낸 목록을 스프레드시트에서 붙여 넣거나 CSV 파일로 선택하세요. 주문 번호, 운송장 번호가 필요하고 택배사는 선택입니다. 열 순서는 상관없습니다.',
    paste: '목록 붙여 넣기',
    courierForRest: '택배사가 없는 행의 택배사',
    noRows: '목록이 비어 있습니다.',
    tooManyRows: (max: number) => `한 번에 ${max}행까지 가능합니다.`,
    noColumns: '주문 번호와 운송장 번호, 두 열이 있어야 합니다.',
    columns: '열',
    noColumn: '없음',
    number: '주문 번호',
    check: '확인하기',
    back: '목록으로 돌아가기',
    ship: (n: number) => `주문 ${n}건 출고`,
    line: '행',
    lineOf: (line: number) => `${line}행`,
    moreItems: (n: string) => `외 ${n}개`,
    cancelledLine: '취소:',
    unknownCourier: (text: string) => `등록되지 않은 택배사: ${text}`,
    rowsOf: (n: string) => `목록의 행: ${n}`,
    moreRows: (n: string) => `나머지 ${n}행은 표시하지 않지만 함께 출고합니다.`,
    willShip: '출고할 수 있음',
    shipped: '출고함',
    already: '이미 출고된 주문이며 운송장 번호는 그대로 둡니다',
    verdict: (ready: number, failed: number, before: number) =>
      [
        `${ready}건을 출고할 수 있습니다.`,
        failed === 0 ? '' : `${failed}건은 출고할 수 없으며 맨 위에 있습니다.`,
        before === 0 ? '' : `${before}건은 이미 출고되었습니다.`,
        '아직 아무것도 바뀌지 않았습니다.',
      ]
        .filter((text) => text !== '')
        .join(' '),
    done: (shipped: number, failed: number, before: number) =>
      [
        `${shipped}건을 출고했습니다.`,
        failed === 0
          ? ''
          : `${failed}건은 실패했습니다. 맨 위에 있으며, 지울 때까지 주문 목록 위에 남습니다.`,
        before === 0 ? '' : `${before}건은 이미 출고되었습니다.`,
      ]
        .filter((text) => text !== '')
        .join(' '),
    keptTitle: (n: number) => `출고하지 못한 주문 ${n}건`,
    dismiss: '지우기',
    pasteUnknown: (n: number, first: string) =>
      n === 1
        ? `${first} 주문은 선택한 주문에 없습니다.`
        : `${first} 외 ${n - 1}건은 선택한 주문에 없습니다.`,
    pickList: '피킹 목록',
    packingList: '포장 명세서',
    together: (n: number) => `받는 사람이 같은 주문 ${n}건`,
    togetherOf: (n: number, name: string) => `${name} 님의 다른 주문 ${n}건: 모두 선택`,
  },
});
