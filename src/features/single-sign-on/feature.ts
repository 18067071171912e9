import type { Feature } from '../../core/assembly/feature.ts';

export const singleSignOn: Feature = {
  name: 'single-sign-on',
  load: () => import('./service.ts'),
};
