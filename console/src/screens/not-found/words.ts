import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or what it led to is gone.',
    home: 'To the overview',
  },
  ko: {
    title: '없는 화면입니다',
    text: '주소를 잘못 입력했거나, 가리키던 것이 사라졌을 수 있습니다.',
    home: '현황으로 가기',
  },
});
