import { Package } from 'lucide-react';
import type { Screen } from '../../screen.ts';
import { finder } from './finder.ts';

export const screen: Screen = {
  pages: [
    { path: '/products', load: () => import('./index.tsx') },
    { path: '/products/:code', load: () => import('./product/index.tsx') },
  ],
  menu: {
    group: 'goods',
    order: 10,
    to: '/products',
    icon: Package,
    label: { en: 'Products', ko: '상품' },
  },
  actions: [
    {
      order: 40,
      to: '/products?new=1',
      label: { en: 'Create a product', ko: '상품 만들기' },
      also: { en: 'New product', ko: '새 상품, 상품 추가' },
      needs: 'operator',
    },
  ],
  finder,
};
