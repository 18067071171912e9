import { Store } from 'lucide-react';
import type { Screen } from '../../screen.ts';
import { finder } from './finder.ts';

export const screen: Screen = {
  pages: [
    { path: '/channels', load: () => import('./index.tsx') },
    { path: '/channels/:id', load: () => import('./channel/index.tsx') },
  ],
  menu: {
    group: 'sell',
    order: 40,
    to: '/channels',
    icon: Store,
    label: { en: 'Channels', ko: '채널' },
  },
  actions: [
    {
      order: 60,
      to: '/channels?new=1',
      label: { en: 'Create a channel', ko: '채널 만들기' },
      also: { en: 'New channel, add a channel', ko: '새 채널, 채널 추가' },
      needs: 'admin',
    },
  ],
  finder,
};
