import { CircleX } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/refusals', load: () => import('./index.tsx') }],
  menu: {
    group: 'sell',
    order: 20,
    to: '/refusals',
    icon: CircleX,
    label: { en: 'Rejected orders', ko: '거절된 주문' },
  },
};
