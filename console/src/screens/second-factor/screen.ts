import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/second-factor', load: () => import('./index.tsx'), isBare: true }],
};
