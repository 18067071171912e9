import { MonitorSmartphone } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/account', load: () => import('./index.tsx') }],
  menu: {
    group: 'account',
    order: 20,
    to: '/account',
    icon: MonitorSmartphone,
    label: { en: 'Account and sessions', ko: '계정과 세션' },
  },
};
