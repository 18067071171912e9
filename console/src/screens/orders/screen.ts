import { ReceiptText } from 'lucide-react';
import { ORDER_STATUSES, statusWords } from '../../components/values.tsx';
import type { Screen } from '../../screen.ts';
import { finder } from './finder.ts';

export const screen: Screen = {
  pages: [
    { path: '/orders', load: () => import('./index.tsx') },
    { path: '/orders/:id', load: () => import('./order/index.tsx') },
  ],
  menu: {
    group: 'sell',
    order: 10,
    to: '/orders',
    icon: ReceiptText,
    label: { en: 'Orders', ko: '주문' },
  },
  actions: [
    {
      order: 10,
      to: '/orders?list=1',
      label: { en: 'Ship from a carrier’s list', ko: '운송장 목록으로 출고' },
      needs: 'operator',
    },
    ...ORDER_STATUSES.map((status) => ({
      order: 70,
      to: `/orders?status=${status}`,
      label: {
        en: `Orders: ${statusWords.en[`s${status}`]}`,
        ko: `주문: ${statusWords.ko[`s${status}`]}`,
      },
    })),
  ],
  finder,
};
