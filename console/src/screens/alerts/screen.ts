import { Bell } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/alerts', load: () => import('./index.tsx') }],
  menu: {
    group: 'settings',
    order: 40,
    to: '/alerts',
    icon: Bell,
    label: { en: 'Alerts', ko: '알림' },
  },
};
