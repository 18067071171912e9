// Light or dark scheme: the user's remembered choice, by default the system's. public/scheme.js reads the same key before
// the first paint.
import { localStorageColorSchemeManager } from '@mantine/core';

export const schemeManager = localStorageColorSchemeManager({ key: 'sluice.scheme' });
