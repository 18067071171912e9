// The sealed columns of core.
import type { SealedColumn } from '../../platform/secrets/sealed-column.ts';
import { signingSecrets } from '../channel-policy/seals.ts';
import { channelKeys } from '../channels/seals.ts';

export const CORE_SEALS: readonly SealedColumn[] = [channelKeys, signingSecrets];
