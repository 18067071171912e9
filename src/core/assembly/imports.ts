// The imports of core, in the order of `sluice import --help`.
import { allocationsImport } from '../allocations/import.ts';
import { channelsImport } from '../channels/import.ts';
import type { CachesChannels } from '../channels/channels-changed.ts';
import { codesImport } from '../codes/import.ts';
import type { OfferedImport } from '../imports/offered.ts';
import { mappingsImport } from '../mappings/import.ts';
import { productsImport } from '../products/import.ts';
import { ratesImport } from '../rates/import.ts';
import { stockImport } from '../stock/import.ts';

export const CORE_IMPORTS: readonly OfferedImport<CachesChannels>[] = [
  channelsImport,
  productsImport,
  mappingsImport,
  stockImport,
  allocationsImport,
  ratesImport,
  codesImport,
];
