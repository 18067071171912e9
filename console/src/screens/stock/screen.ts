import { Boxes } from 'lucide-react';
import type { Screen } from '../../screen.ts';
import { finder } from './finder.ts';

export const screen: Screen = {
  pages: [
    { path: '/stock', load: () => import('./index.tsx') },
    { path: '/stock/:code', load: () => import('./item/index.tsx') },
  ],
  menu: {
    group: 'goods',
    order: 30,
    to: '/stock',
    icon: Boxes,
    label: { en: 'Stock', ko: '재고' },
  },
  actions: [
    {
      order: 20,
      to: '/stock?bulk=add',
      label: { en: 'Enter a delivery', ko: '입고 입력' },
      needs: 'operator',
    },
    {
      order: 30,
      to: '/stock?bulk=set',
      label: { en: 'Enter a count', ko: '실사 입력' },
      needs: 'operator',
    },
  ],
  finder,
};
