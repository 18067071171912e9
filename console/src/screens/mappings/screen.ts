import { ArrowLeftRight } from 'lucide-react';
import type { Screen } from '../../screen.ts';
import { finder } from './finder.ts';

export const screen: Screen = {
  pages: [{ path: '/mappings', load: () => import('./index.tsx') }],
  menu: {
    group: 'sell',
    order: 50,
    to: '/mappings',
    icon: ArrowLeftRight,
    label: { en: 'Mappings', ko: 'SKU 매핑' },
  },
  finder,
};
