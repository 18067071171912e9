import { Users } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/users', load: () => import('./index.tsx'), needs: 'admin' }],
  menu: {
    group: 'people',
    order: 10,
    to: '/users',
    icon: Users,
    label: { en: 'Users', ko: '사용자' },
    needs: 'admin',
  },
};
