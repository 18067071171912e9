import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Couriers',
    description:
      'Names of the courier codes that channels send with a shipment. With an unknown code only the tracking number is stored.',
    add: 'Add courier',
    edit: 'Edit',
    editOf: (code: string) => `Edit ${code}`,
    deleteOf: (code: string) => `Delete ${code}`,
    codeHint: 'Exactly as the channels send it in courier_code.',
    aliases: 'Aliases',
    aliasesHint: 'Other names in the lists of this courier, separated by commas.',
    trackingUrl: 'Tracking page',
    trackingHint: (placeholder: string) =>
      `The web address of a parcel at this courier, with ${placeholder} in the place of its number.`,
    noPlaceholder: (placeholder: string) => `The address must contain ${placeholder}.`,
    saved: (code: string) => `${code} saved.`,
    deleted: (code: string) => `${code} deleted.`,
    exists: 'This code already exists.',
    gone: (code: string) => `${code} was deleted by another user.`,
    deleteTitle: (code: string) => `Delete ${code}?`,
    deleteText:
      'Existing shipments keep the courier. New shipments with this code store only the tracking number.',
    empty: 'No couriers yet',
    emptyText: 'Add the codes that your channels use, so that shipments show a name.',
  },
  ko: {
    title: '택배사',
    description:
      '채널이 출고와 함께 보내는 택배사 코드의 이름입니다. 없는 코드로 오면 운송장 번호만 저장됩니다.',
    add: '택배사 추가',
    edit: '수정',
    editOf: (code: string) => `${code} 수정`,
    deleteOf: (code: string) => `${code} 삭제`,
    codeHint: '채널이 courier_code로 보내는 값과 똑같아야 합니다.',
    aliases: '별칭',
    aliasesHint: '택배사 목록에 쓰이는 이름입니다. 쉼표로 구분하세요.',
    trackingUrl: '배송 조회 주소',
    trackingHint: (placeholder: string) =>
      `이 택배사의 배송 조회 주소입니다. 운송장 번호가 들어갈 자리에 ${placeholder}를 넣으세요.`,
    noPlaceholder: (placeholder: string) => `주소에 ${placeholder}가 있어야 합니다.`,
    saved: (code: string) => `${code} 택배사를 저장했습니다.`,
    deleted: (code: string) => `${code} 택배사를 삭제했습니다.`,
    exists: '이미 있는 코드입니다.',
    gone: (code: string) => `그사이 다른 사용자가 ${code} 택배사를 삭제했습니다.`,
    deleteTitle: (code: string) => `${code} 택배사를 삭제할까요?`,
    deleteText: '이미 기록된 출고는 그대로입니다. 앞으로 이 코드로 오는 출고는 운송장 번호만 저장됩니다.',
    empty: '등록된 택배사가 없습니다',
    emptyText: '채널이 쓰는 코드를 추가하면 출고에 이름이 표시됩니다.',
  },
});
