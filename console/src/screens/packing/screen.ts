import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/packing', load: () => import('./index.tsx'), needs: 'operator' }],
};
