import { ChartNoAxesColumn } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/', load: () => import('./index.tsx') }],
  menu: {
    group: 'top',
    order: 10,
    to: '/',
    icon: ChartNoAxesColumn,
    label: { en: 'Overview', ko: '현황' },
  },
};
