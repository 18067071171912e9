import { Truck } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/couriers', load: () => import('./index.tsx') }],
  menu: {
    group: 'settings',
    order: 20,
    to: '/couriers',
    icon: Truck,
    label: { en: 'Couriers', ko: '택배사' },
  },
};
