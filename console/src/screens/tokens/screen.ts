import { KeyRound } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/tokens', load: () => import('./index.tsx'), needs: 'admin' }],
  menu: {
    group: 'people',
    order: 20,
    to: '/tokens',
    icon: KeyRound,
    label: { en: 'Tokens', ko: '토큰' },
    needs: 'admin',
  },
};
