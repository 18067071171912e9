// Field errors in the language of the page, by the codes of the API, never by its texts.
import { defineWords, wordsNow } from '../i18n/words.ts';

/** One of `details.faults` in a 422. */
export interface Fault {
  field: string;
  code: string;
  details: Record<string, unknown>;
}

/** The facts used by the texts below; each is present only for some codes. */
type Limits = Record<
  | 'characters_min'
  | 'characters_max'
  | 'elements_min'
  | 'elements_max'
  | 'minimum'
  | 'maximum'
  | 'limit'
  | 'decimals_max'
  | 'days_max'
  | 'orders_max'
  | 'bytes_max',
  number
> & {
  placeholder: string;
  field: string;
  allowed: readonly unknown[];
  nearest: readonly { code: string; name: string }[];
};

const namesOf = ({ nearest }: Limits): string => nearest.map(({ name }) => name).join(', ');

const MIB = 2 ** 20;

const words = defineWords({
  en: {
    required: 'Required.',
    blank: 'Required.',
    too_short: ({ characters_min }: Limits) => `At least ${characters_min} characters.`,
    too_long: ({ characters_max }: Limits) => `At most ${characters_max} characters.`,
    too_many: ({ elements_max }: Limits) => `At most ${elements_max} entries.`,
    too_small: ({ minimum }: Limits) => `At least ${minimum}.`,
    too_large: ({ maximum }: Limits) => `At most ${maximum}.`,
    not_above: ({ limit }: Limits) => `More than ${limit}.`,
    zero: 'Not 0.',
    too_few: ({ elements_min }: Limits) => `At least ${elements_min} entries.`,
    too_many_digits: 'Too many digits.',
    required_with: ({ field }: Limits) => `Required together with ${field}.`,
    excluded_by: ({ field }: Limits) => `Not together with ${field}.`,
    not_listed: ({ allowed }: Limits) => `One of ${allowed.join(', ')}.`,
    not_a_moment: 'This is not a date.',
    expiry_out_of_range: ({ days_max }: Limits) => `In the future, at most ${days_max} days ahead.`,
    too_many_to_sort: ({ orders_max }: Limits) =>
      `More than ${orders_max} orders cannot be sorted. Narrow the filter.`,
    order_repeated: 'This order appears twice.',
    order_line_unknown: 'The order has no such line.',
    same_channel: 'Choose another channel.',
    body_too_large: ({ bytes_max }: Limits) => `Too large: at most ${bytes_max / MIB} MiB.`,
    not_storable: 'This contains characters that cannot be stored.',
    not_a_rate: ({ decimals_max }: Limits) =>
      `A number above 0 and below 10^9 with at most ${decimals_max} decimals.`,
    not_a_country: 'This is not a country code.',
    not_a_currency: 'This is not a currency code.',
    not_a_timestamp: 'This is not a point in time.',
    in_future: 'Not in the future.',
    not_an_email: 'This is not an e-mail address.',
    hidden_part: 'The … replaces a hidden part. Enter the whole address.',
    has_blanks: 'Without blanks and control characters.',
    not_http: 'The address must begin with http:// or https://.',
    not_an_address: 'This is not a valid address.',
    has_credentials: 'Without a user name or password in the address.',
    not_an_address_range: 'An IP address, or a range such as 203.0.113.0/24.',
    placeholder_missing: ({ placeholder }: Limits) => `The address must contain ${placeholder}.`,
    is_email: 'Not your e-mail address.',
    is_current_password: 'This is the password you have now.',
    wrong_password: 'This is not your current password.',
    wrong_code: 'The code is wrong or was used already. Wait for the next one.',
    guessable:
      'Too easy to guess: common words, years, sequences, repetitions and parts of your e-mail address count little. Add more words.',
    option_unknown: 'The channel did not send this option.',
    variant_code_repeated: 'Another item of this product has this code.',
    sku_repeated: 'This SKU appears twice.',
    variant_unknown: 'There is no item with this code.',
    courier_unknown: (limits: Limits) =>
      limits.nearest.length === 0
        ? 'There is no courier with this code, name or other name.'
        : `There is no courier with this name. Similar: ${namesOf(limits)}.`,
  },
  ko: {
    required: '필수 항목입니다.',
    blank: '필수 항목입니다.',
    too_short: ({ characters_min }: Limits) => `${characters_min}자 이상 입력하세요.`,
    too_long: ({ characters_max }: Limits) => `${characters_max}자까지 쓸 수 있습니다.`,
    too_many: ({ elements_max }: Limits) => `${elements_max}개까지 가능합니다.`,
    too_small: ({ minimum }: Limits) => `${minimum} 이상이어야 합니다.`,
    too_large: ({ maximum }: Limits) => `${maximum} 이하여야 합니다.`,
    not_above: ({ limit }: Limits) => `${limit}보다 커야 합니다.`,
    zero: '0은 쓸 수 없습니다.',
    too_few: ({ elements_min }: Limits) => `${elements_min}개 이상이어야 합니다.`,
    too_many_digits: '자릿수가 너무 많습니다.',
    required_with: ({ field }: Limits) => `${field} 항목과 함께 입력하세요.`,
    excluded_by: ({ field }: Limits) => `${field} 항목과 함께 쓸 수 없습니다.`,
    not_listed: ({ allowed }: Limits) => `${allowed.join(', ')} 가운데 하나여야 합니다.`,
    not_a_moment: '날짜가 올바르지 않습니다.',
    expiry_out_of_range: ({ days_max }: Limits) => `미래 시각이어야 하며 ${days_max}일까지 가능합니다.`,
    too_many_to_sort: ({ orders_max }: Limits) =>
      `주문이 ${orders_max}건을 넘으면 정렬할 수 없습니다. 조건을 좁히세요.`,
    order_repeated: '같은 주문이 두 번 있습니다.',
    order_line_unknown: '이 주문에 없는 항목입니다.',
    same_channel: '다른 채널을 선택하세요.',
    body_too_large: ({ bytes_max }: Limits) => `너무 큽니다. ${bytes_max / MIB}MiB까지 가능합니다.`,
    not_storable: '저장할 수 없는 문자가 있습니다.',
    not_a_rate: ({ decimals_max }: Limits) =>
      `0보다 크고 10^9보다 작은 수, 소수점 아래 ${decimals_max}자리까지 가능합니다.`,
    not_a_country: '국가 코드가 아닙니다.',
    not_a_currency: '통화 코드가 아닙니다.',
    not_a_timestamp: '날짜와 시각이 올바르지 않습니다.',
    in_future: '미래 시각은 쓸 수 없습니다.',
    not_an_email: '이메일 주소가 아닙니다.',
    hidden_part: '… 표시는 가려진 부분입니다. 주소 전체를 입력하세요.',
    has_blanks: '공백이나 제어 문자를 쓸 수 없습니다.',
    not_http: '주소는 http:// 또는 https://로 시작해야 합니다.',
    not_an_address: '올바른 주소가 아닙니다.',
    has_credentials: '주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다.',
    not_an_address_range: 'IP 주소 또는 203.0.113.0/24 같은 범위를 입력하세요.',
    placeholder_missing: ({ placeholder }: Limits) => `주소에 ${placeholder}가 있어야 합니다.`,
    is_email: '이메일 주소는 쓸 수 없습니다.',
    is_current_password: '지금 쓰는 비밀번호와 같습니다.',
    wrong_password: '현재 비밀번호가 맞지 않습니다.',
    wrong_code: '코드가 틀렸거나 이미 사용되었습니다. 다음 코드를 기다리세요.',
    guessable:
      '추측하기 쉬운 비밀번호입니다. 흔한 단어, 연도, 연속되거나 반복되는 글자, 이메일 주소의 일부는 거의 도움이 되지 않습니다. 단어를 더 넣으세요.',
    option_unknown: '채널이 보내지 않은 옵션입니다.',
    variant_code_repeated: '이 상품의 다른 품목이 쓰는 코드입니다.',
    sku_repeated: '같은 SKU가 두 번 있습니다.',
    variant_unknown: '이 코드의 품목이 없습니다.',
    courier_unknown: (limits: Limits) =>
      limits.nearest.length === 0
        ? '이 코드나 이름의 택배사가 없습니다.'
        : `이 이름의 택배사가 없습니다. 비슷한 이름: ${namesOf(limits)}`,
  },
});

/** Error texts by field. For codes without a text here, the text of the service is shown. */
export function fieldTexts(
  faults: readonly Fault[],
  said: Record<string, string[]>,
): Record<string, string[]> {
  const w: Record<string, string | ((facts: Limits) => string) | undefined> = wordsNow(words);
  const textsOf = (field: string): string[] => {
    const texts = faults
      .filter((fault) => fault.field === field)
      .map(({ code, details }) => {
        const word = w[code];
        return typeof word === 'function' ? word(details as unknown as Limits) : word;
      });
    return texts.every((text) => text !== undefined) ? texts : (said[field] ?? []);
  };
  return Object.fromEntries(faults.map(({ field }) => [field, textsOf(field)]));
}
