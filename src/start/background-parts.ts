// What platform, core and features do beside the requests. The order is that of each step.
import type { FeatureService } from '../core/assembly/feature.ts';
import type { BackgroundPart } from '../core/assembly/background-part.ts';
import { trimJournal } from '../core/journal/store.ts';
import { sweepSessions } from '../platform/accounts/sessions-store.ts';
import { trimSignInFailures } from '../platform/accounts/sign-in-failures-store.ts';
import type { Patience } from '../platform/database/patience.ts';
import type { Services } from './services.ts';

export function backgroundParts(
  services: Services,
  patience: Patience,
  features: readonly FeatureService[],
): readonly BackgroundPart[] {
  const { inventory, health, keyUses, reconciler, orderIndexer, traces } = services;
  return [
    { keepUp: () => inventory.keepUp() },
    { requestsEnded: () => patience.close() },
    // Without a poll of /readyz or /metrics nothing else compares the clocks.
    { keepUp: () => health.check(), requestsEnded: () => health.close() },
    { requestsEnded: () => services.wrongCredentials.flush() },
    { requestsEnded: () => services.foreignAddresses.flush() },
    { everyMinute: trimJournal },
    { everyMinute: sweepSessions },
    { everyMinute: trimSignInFailures },
    ...features,
    { close: () => keyUses.close() },
    { lead: () => reconciler.start(), close: () => reconciler.close() },
    { lead: () => orderIndexer.start(), close: () => orderIndexer.close() },
    { close: async () => traces?.close() },
  ];
}
