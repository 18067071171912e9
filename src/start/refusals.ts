// The refusals of the back office, as its rooms declare them: of accounts and core, then of features.
import type { RefusalTable } from '../platform/admin-api/refused.ts';
import { ACCOUNT_REFUSALS } from '../platform/accounts/refusals.ts';
import { ALLOCATION_REFUSALS } from '../core/allocations/refusals.ts';
import { CHANNEL_REFUSALS } from '../core/channels/refusals.ts';
import { CHANNEL_POLICY_REFUSALS } from '../core/channel-policy/refusals.ts';
import { CODE_REFUSALS } from '../core/codes/refusals.ts';
import { MAPPING_REFUSALS } from '../core/mappings/refusals.ts';
import { ORDER_REFUSALS } from '../core/orders/refusals.ts';
import { PRODUCT_REFUSALS } from '../core/products/refusals.ts';
import { RATE_REFUSALS } from '../core/rates/refusals.ts';
import { REGISTRATION_REFUSALS } from '../core/registration/refusals.ts';
import { STOCK_REFUSALS } from '../core/stock/refusals.ts';
import { FEATURES } from './features.ts';

const OF_CORE: readonly RefusalTable[] = [
  ACCOUNT_REFUSALS,
  ALLOCATION_REFUSALS,
  CHANNEL_REFUSALS,
  CHANNEL_POLICY_REFUSALS,
  CODE_REFUSALS,
  MAPPING_REFUSALS,
  ORDER_REFUSALS,
  PRODUCT_REFUSALS,
  RATE_REFUSALS,
  REGISTRATION_REFUSALS,
  STOCK_REFUSALS,
];

export async function loadRefusals(): Promise<RefusalTable> {
  const ofFeatures = await Promise.all(FEATURES.flatMap(({ refusals }) => refusals?.() ?? []));
  return Object.fromEntries([...OF_CORE, ...ofFeatures].flatMap((table) => Object.entries(table)));
}
