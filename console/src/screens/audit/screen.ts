import { History } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/audit', load: () => import('./index.tsx') }],
  menu: {
    group: 'people',
    order: 30,
    to: '/audit',
    icon: History,
    label: { en: 'Audit log', ko: '변경 기록' },
  },
};
