import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '/sign-in', load: () => import('./index.tsx'), isBare: true }],
};
