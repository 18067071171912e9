import { defineWords } from '../../i18n/words.ts';

export const sourceWords = defineWords({
  en: {
    title: 'Automatic rates',
    off: 'Rates are entered by hand. Choose a source to collect them automatically.',
    summary: (kind: string, currencies: string) => `${kind}: ${currencies}`,
    run: 'Collect now',
    choose: 'Choose a source',
    change: 'Settings',
    settings: 'Source of exchange rates',
    saved: 'The source of exchange rates is saved.',
    overtaken:
      'Another user has changed these settings meanwhile. Nothing was saved. Close this dialog and open it again to see them.',
    next: 'Next collection:',
    missing: (codes: string) => `The source has no rate for ${codes}. Enter it by hand.`,
    failedTitle: 'The last collection failed',
    failedText: 'The rates in effect stay as they are.',
    waitingTitle: (code: string) => `The rate of ${code} needs your decision`,
    waitingText: (rate: string, last: string) =>
      `The source says ${rate}; the rate in effect is ${last}. Changes of more than 20 % are not applied automatically.`,
    accept: 'Accept rate',
    reject: 'Reject rate',
    accepted: (code: string) => `The new rate of ${code} is in effect.`,
    rejected: (code: string) => `The rate of ${code} stays as it is.`,
    runs: 'Last collections',
    showRuns: (n: number) => `Show the last ${n}`,
    at: 'Time',
    outcome: 'Outcome',
    details: 'Details',
    actor: 'Started by',
    kind: 'Source',
    currencies: 'Currencies',
    url: 'Address',
    urlHint: 'Leave empty to use the default address of the source.',
    urlJson: 'May contain {currency}, called once for each currency, and {api_key}.',
    apiKey: 'Key',
    apiKeyHint: 'Stored encrypted and never shown again.',
    apiKeyStored: 'A key is stored. Leave empty to keep it. For another server it must be entered again.',
    path: 'Path to the number',
    pathHint: 'Names and positions, separated by dots.',
    perUnits: 'For how many units',
    perUnitsHint: '100 if the number is KRW for 100 units.',
    inverted: 'The number is units per KRW',
    invertedHint: 'Instead of KRW per unit.',
    everyMinutes: 'Every … minutes',
    everyMinutesHint: 'From 5 minutes to a week (10,080).',
    unusable: (host: string, why: string) => `The answer of ${host} cannot be used: ${why}.`,
  },
  ko: {
    title: '환율 자동 수집',
    off: '환율을 직접 입력하고 있습니다. 출처를 선택하면 자동으로 수집합니다.',
    summary: (kind: string, currencies: string) => `${kind}: ${currencies}`,
    run: '지금 수집',
    choose: '출처 선택',
    change: '설정',
    settings: '환율 출처',
    saved: '환율 출처를 저장했습니다.',
    overtaken:
      '그사이 다른 사용자가 이 설정을 바꾸어 아무것도 저장하지 않았습니다. 창을 닫고 다시 열어 확인하세요.',
    next: '다음 수집:',
    missing: (codes: string) => `출처에 ${codes} 환율이 없습니다. 직접 입력하세요.`,
    failedTitle: '마지막 수집에 실패했습니다',
    failedText: '적용 중인 환율은 그대로입니다.',
    waitingTitle: (code: string) => `${code} 환율을 확인하세요`,
    waitingText: (rate: string, last: string) =>
      `출처의 환율은 ${rate}, 적용 중인 환율은 ${last}입니다. 20 %를 넘는 변동은 자동으로 적용하지 않습니다.`,
    accept: '환율 적용',
    reject: '환율 거절',
    accepted: (code: string) => `${code} 새 환율을 적용했습니다.`,
    rejected: (code: string) => `${code} 환율을 그대로 둡니다.`,
    runs: '최근 수집',
    showRuns: (n: number) => `최근 ${n}건 보기`,
    at: '시각',
    outcome: '결과',
    details: '내용',
    actor: '실행',
    kind: '출처',
    currencies: '통화',
    url: '주소',
    urlHint: '비워 두면 출처의 기본 주소를 씁니다.',
    urlJson: '{currency}가 있으면 통화마다 한 번씩 호출합니다. {api_key}도 쓸 수 있습니다.',
    apiKey: '인증키',
    apiKeyHint: '암호화해 저장하며 다시 표시하지 않습니다.',
    apiKeyStored:
      '저장된 인증키가 있습니다. 그대로 두려면 비워 두세요. 다른 서버로 바꾸면 다시 입력해야 합니다.',
    path: '숫자 위치',
    pathHint: '이름과 순번을 점으로 이어서 입력하세요.',
    perUnits: '기준 단위',
    perUnitsHint: '100단위당 원화 금액이면 100을 입력하세요.',
    inverted: '원화당 외화 금액',
    invertedHint: '외화당 원화 금액이 아닐 때 선택하세요.',
    everyMinutes: '수집 간격(분)',
    everyMinutesHint: '5분부터 1주일(10,080분)까지 가능합니다.',
    unusable: (host: string, why: string) => `${host} 응답을 쓸 수 없습니다: ${why}.`,
  },
});

export const ranWords = defineWords({
  en: {
    collected: 'New rates are in effect.',
    unchanged: 'The source has nothing new.',
    waiting: 'A rate needs your decision.',
    failed: 'The rates could not be collected.',
  },
  ko: {
    collected: '새 환율이 적용되었습니다.',
    unchanged: '새로운 환율이 없습니다.',
    waiting: '확인이 필요한 환율이 있습니다.',
    failed: '환율을 수집하지 못했습니다.',
  },
});

export const outcomeWords = defineWords({
  en: {
    collected: 'New rates',
    unchanged: 'Nothing new',
    waiting: 'Decision needed',
    failed: 'Failed',
  },
  ko: {
    collected: '새 환율',
    unchanged: '변동 없음',
    waiting: '확인 필요',
    failed: '실패',
  },
});

export const kindWords = defineWords({
  en: {
    none: 'None',
    ecb: 'European Central Bank',
    koreaexim: 'Export-Import Bank of Korea',
    json: 'JSON address',
  },
  ko: {
    none: '없음',
    ecb: '유럽중앙은행',
    koreaexim: '한국수출입은행',
    json: 'JSON 주소',
  },
});

export const kindHintWords = defineWords({
  en: {
    none: 'Rates are entered by hand.',
    ecb: 'Reference rates, once on each business day. No key is needed.',
    koreaexim: 'Basic rates (deal_bas_r), about 11:00 on each business day. Needs a key of the bank.',
    json: 'Any address that answers with JSON.',
  },
  ko: {
    none: '환율을 직접 입력합니다.',
    ecb: '영업일마다 한 번 고시하는 기준 환율입니다. 인증키가 필요 없습니다.',
    koreaexim: '영업일 11시경 고시하는 매매기준율입니다. 은행에서 발급한 인증키가 필요합니다.',
    json: 'JSON으로 응답하는 모든 주소를 쓸 수 있습니다.',
  },
});

export const faultWords = defineWords({
  en: {
    not_xml: (_code: string) => 'it is not the expected XML',
    not_json: (_code: string) => 'it is not JSON',
    wrong_shape: (_code: string) => 'it does not have the expected form',
    base_missing: (_code: string) => 'it has no rate for KRW',
    not_a_rate: (code: string) => `the number for ${code} is not a rate`,
    key_refused: (_code: string) => 'the key was refused',
    limit_reached: (_code: string) => 'the limit of requests for today is reached',
    nothing_published: (_code: string) => 'there are no rates for the last days',
  },
  ko: {
    not_xml: (_code: string) => '예상한 XML이 아닙니다',
    not_json: (_code: string) => 'JSON이 아닙니다',
    wrong_shape: (_code: string) => '예상한 형식이 아닙니다',
    base_missing: (_code: string) => '원화 환율이 없습니다',
    not_a_rate: (code: string) => `${code} 값이 환율이 아닙니다`,
    key_refused: (_code: string) => '인증키가 거절되었습니다',
    limit_reached: (_code: string) => '오늘의 요청 한도를 넘었습니다',
    nothing_published: (_code: string) => '최근 며칠 동안 고시된 환율이 없습니다',
  },
});

export const reasonWords = defineWords({
  en: {
    key_closed: (_host: string, _status: string) => 'The stored key cannot be opened: enter it again.',
    address_not_allowed: (host: string, _status: string) => `${host} is not a public address.`,
    timeout: (host: string, _status: string) => `${host} did not answer in time.`,
    refused: (host: string, _status: string) => `${host} refused the connection.`,
    unreachable: (host: string, _status: string) => `${host} cannot be reached.`,
    tls: (host: string, _status: string) => `No secure connection to ${host} could be made.`,
    redirect: (host: string, _status: string) => `${host} answered with a redirect, which is not followed.`,
    http_status: (host: string, status: string) => `${host} answered with status ${status}.`,
    too_large: (host: string, _status: string) => `The answer of ${host} is too large.`,
  },
  ko: {
    key_closed: (_host: string, _status: string) => '저장된 인증키를 열 수 없습니다. 다시 입력하세요.',
    address_not_allowed: (host: string, _status: string) => `${host} 주소는 공개된 주소가 아닙니다.`,
    timeout: (host: string, _status: string) => `${host} 응답이 제때 오지 않았습니다.`,
    refused: (host: string, _status: string) => `${host} 연결이 거절되었습니다.`,
    unreachable: (host: string, _status: string) => `${host} 서버에 연결할 수 없습니다.`,
    tls: (host: string, _status: string) => `${host} 서버와 보안 연결을 맺지 못했습니다.`,
    redirect: (host: string, _status: string) => `${host} 응답이 다른 주소로 보냈습니다. 따라가지 않습니다.`,
    http_status: (host: string, status: string) => `${host} 응답 상태가 ${status}입니다.`,
    too_large: (host: string, _status: string) => `${host} 응답이 너무 큽니다.`,
  },
});
