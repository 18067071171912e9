// Every sealed column of the service.
import { CORE_SEALS } from '../core/assembly/seals.ts';
import { secondFactors } from '../platform/accounts/seals.ts';
import type { SealedColumns } from '../platform/secrets/sealed-column.ts';
import { FEATURES } from './features.ts';

export const sealedColumns: SealedColumns = async () => [
  ...CORE_SEALS,
  ...(await Promise.all(FEATURES.map(async ({ seals }) => (await seals?.()) ?? []))).flat(),
  secondFactors,
];
