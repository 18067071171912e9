import { KeyRound } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/change-password', load: () => import('./index.tsx'), isBare: true }],
  menu: {
    group: 'account',
    order: 10,
    to: '/change-password',
    icon: KeyRound,
    label: { en: 'Change password', ko: '비밀번호 변경' },
    isShown: ({ has_password }) => has_password,
  },
  actions: [
    {
      order: 80,
      to: '/change-password',
      label: { en: 'Change password', ko: '비밀번호 변경' },
    },
  ],
};
