import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Page not found',
    text: 'The address may be wrong, or the page no longer exists.',
    home: 'Go to the overview',
  },
  ko: {
    title: '페이지를 찾을 수 없습니다',
    text: '주소가 잘못되었거나 삭제된 페이지일 수 있습니다.',
    home: '현황으로 가기',
  },
});
