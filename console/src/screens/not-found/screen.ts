import type { Screen } from '../../screen.ts';

export const screen: Screen = {
  pages: [{ path: '*', load: () => import('./index.tsx') }],
};
