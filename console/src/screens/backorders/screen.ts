import { Hourglass } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/backorders', load: () => import('./index.tsx') }],
  menu: {
    group: 'sell',
    order: 30,
    to: '/backorders',
    icon: Hourglass,
    label: { en: 'Backorders', ko: '예약 주문' },
  },
};
