import { CloudDownload } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/register', load: () => import('./index.tsx') }],
  menu: {
    group: 'goods',
    order: 20,
    to: '/register',
    icon: CloudDownload,
    label: { en: 'Registration', ko: '상품 등록' },
    needs: 'operator',
  },
};
