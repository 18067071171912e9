import { Webhook } from 'lucide-react';
import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [
    { path: '/webhooks', load: () => import('./index.tsx') },
    { path: '/webhooks/:id', load: () => import('./webhook/index.tsx') },
  ],
  menu: {
    group: 'settings',
    order: 30,
    to: '/webhooks',
    icon: Webhook,
    label: { en: 'Webhooks', ko: '웹훅' },
  },
};
