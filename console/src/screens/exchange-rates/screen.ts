import { Coins } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/exchange-rates', load: () => import('./index.tsx') }],
  menu: {
    group: 'settings',
    order: 10,
    to: '/exchange-rates',
    icon: Coins,
    label: { en: 'Exchange rates', ko: '환율' },
  },
  actions: [
    {
      order: 50,
      to: '/exchange-rates?new=1',
      label: { en: 'Add an exchange rate', ko: '환율 추가' },
      also: { en: 'New exchange rate', ko: '새 환율' },
      needs: 'operator',
    },
  ],
};
