import { useMediaQuery } from '@mantine/hooks';

/** Below 600 px, where tables become cards. */
export const useNarrow = (): boolean =>
  useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
