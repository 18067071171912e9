import { Split } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/allocations', load: () => import('./index.tsx') }],
  menu: {
    group: 'goods',
    order: 40,
    to: '/allocations',
    icon: Split,
    label: { en: 'Allocations', ko: '채널 배분' },
  },
};
