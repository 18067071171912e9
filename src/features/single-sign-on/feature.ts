import type { Feature } from '../../core/assembly/feature.ts';

export const singleSignOn: Feature = {
  name: 'single-sign-on',
  refusals: async () => (await import('./refusals.ts')).SIGN_ON_REFUSALS,
  load: () => import('./service.ts'),
};
