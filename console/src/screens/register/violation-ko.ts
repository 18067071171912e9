// Korean texts for violations in a channel's options, built from the same facts as the English texts of the API.
import type { Violation } from '../../api/types.ts';

const list = (codes: readonly string[] | undefined): string =>
  (codes ?? []).map((code) => `‘${code}’`).join(', ');

/** -1.0 and -1.00 are different texts. */
const ALIKE = ' 값이 같아도 표기가 다르면 다른 도수로 봅니다(예: -1.0과 -1.00).';

/** The side with the channel's name of its option group, unless both are the same. */
export const sideName = (side: string, group: string, gap = ''): string =>
  group === side ? side : `${side}${gap}(${group})`;

export function koreanViolation(violation: Violation): string {
  const { power = '', option_codes: codes, group = '', side, written_as } = violation.details;
  const where = side === undefined ? `‘${group}’ 그룹` : sideName(side === 'left' ? '좌' : '우', group);
  switch (violation.code) {
    case 'name_blank':
      return '채널이 상품 이름을 보내지 않았습니다.';
    case 'name_too_long':
      return '상품 이름이 너무 깁니다. 255자까지 가능합니다.';
    case 'no_options':
      return '채널이 보낸 옵션이 없어 적용할 SKU가 없습니다.';
    case 'too_many_groups':
      return '좌우 세트의 옵션 그룹은 두 개까지인데, 채널이 더 많이 보냈습니다.';
    case 'power_blank':
      return `코드 ${list(codes)} 옵션에 도수가 없습니다. 도수는 SKU가 하나뿐인 상품에서만 비워 둘 수 있습니다.`;
    case 'power_missing':
      return `${where}에 도수 ${power} 옵션이 없습니다. 좌우의 도수가 같아야 합니다.${written_as === undefined ? '' : ALIKE}`;
    case 'power_repeated':
      return group === ''
        ? `도수 ${power} 옵션이 여러 개 있습니다(코드 ${list(codes)}). 좌우 세트라면 채널이 is_monthly를 1로 보내야 합니다.`
        : `${where}에 도수 ${power} 옵션이 여러 개 있습니다(코드 ${list(codes)}). 도수마다 하나만 있어야 합니다.`;
    case 'code_blank':
      return `도수 ${power} 옵션에 코드가 없습니다.`;
    case 'code_differs':
      return `도수 ${power}의 좌우 코드가 다릅니다(${list(codes)}). 좌우는 같은 품목이므로 코드가 같아야 합니다.`;
    case 'code_repeated':
      return `같은 코드(${list(codes)})가 여러 도수에 쓰였습니다. 도수마다 코드가 달라야 합니다.`;
    case 'code_too_long':
      return `도수 ${power}의 코드가 너무 깁니다. 100자까지 가능합니다.`;
    case 'variant_code_too_long':
      return `상품 코드에 도수를 붙인 품목 코드가 너무 깁니다(도수 ${power}). 100자까지 가능합니다.`;
    case 'variant_taken':
      return `코드 ${list(codes)}의 품목 코드는 이미 다른 상품의 것입니다.`;
    default:
      return violation.message;
  }
}
