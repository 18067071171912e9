import { defineWords } from '../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Search everything',
    short: 'Search',
    hint: 'Order, recipient, item, SKU, channel, screen or action',
    keys: '↑ ↓ choose · Enter open · Esc close · Ctrl K from every screen',
    nothing: 'Nothing found',
    searching: 'Searching…',
    screens: 'Screens',
    actions: 'Actions',
    language: '한국어로 보기',
  },
  ko: {
    title: '전체 검색',
    short: '검색',
    hint: '주문, 수취인, 품목, SKU, 채널, 화면, 작업',
    keys: '↑ ↓ 선택 · Enter 열기 · Esc 닫기 · 어느 화면에서나 Ctrl K',
    nothing: '찾는 항목이 없습니다',
    searching: '검색 중…',
    screens: '화면',
    actions: '작업',
    language: 'View in English',
  },
});
