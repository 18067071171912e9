// All operations under /admin/v1, behind authentication: those of accounts and core, then those of features.
import type { FastifyInstance } from 'fastify';
import type { FeatureService } from '../core/assembly/feature.ts';
import type { Services } from './services.ts';
import { allowLargeBodies } from '../platform/http/options.ts';
import { registerAllocationCsv } from '../core/allocations/csv-operations.ts';
import { registerAllocations } from '../core/allocations/operations.ts';
import { registerAudit } from '../platform/audit/operations.ts';
import { guard, guardAgain } from '../platform/accounts/auth.ts';
import { registerChannelKeys } from '../core/channels/keys-operations.ts';
import { registerChannelLimits } from '../core/channels/limits-operations.ts';
import { registerChannelPolicy } from '../core/channel-policy/operations.ts';
import { registerChannels } from '../core/channels/operations.ts';
import { registerCommonCodes } from '../core/codes/operations.ts';
import { registerCountries } from '../core/channels/countries-operations.ts';
import { registerCurrentRates } from '../core/rates/current-operations.ts';
import { registerExchangeRates } from '../core/rates/operations.ts';
import { registerMappingCsv } from '../core/mappings/csv-operations.ts';
import { registerMappings } from '../core/mappings/operations.ts';
import { registerOrderList } from '../core/orders/list-operations.ts';
import { registerOrders } from '../core/orders/operations.ts';
import { registerProductInfo } from '../core/registration/operations.ts';
import { registerProducts } from '../core/products/operations.ts';
import { registerReconcile } from '../core/reconcile/operations.ts';
import { registerSecondFactor } from '../platform/accounts/second-factor-operations.ts';
import { registerSession } from '../platform/accounts/session-operations.ts';
import { registerSessions } from '../platform/accounts/sessions-operations.ts';
import { registerStockOrders } from '../core/stock/orders-operations.ts';
import { registerStockCsv } from '../core/stock/csv-operations.ts';
import { registerStockMovements } from '../core/stock/movements-operations.ts';
import { registerStock } from '../core/stock/operations.ts';
import { registerTokens } from '../platform/accounts/tokens-operations.ts';
import type { RefusalTable } from '../platform/admin-api/refused.ts';
import { refuseUnknownFields } from '../platform/admin-api/unknown-fields.ts';
import { waitForTurn } from '../platform/accounts/turn-of-request.ts';
import { registerUsers } from '../platform/accounts/operations.ts';
import { registerVariants } from '../core/products/variants-operations.ts';

export function registerAdminApi(
  app: FastifyInstance,
  services: Services,
  features: readonly FeatureService[],
  refusals: RefusalTable,
): void {
  app.decorate('refusals', refusals);
  app.decorateRequest('operator', null);
  allowLargeBodies(app);
  app.addHook('onRequest', (_request, reply, done) => {
    // Stock, orders and personal data must not be cached by proxies.
    reply.header('cache-control', 'no-store');
    done();
  });
  app.addHook('onRequest', guard(services));
  app.addHook('preValidation', guardAgain(services));
  app.addHook('preHandler', waitForTurn(services));
  app.addHook('preValidation', refuseUnknownFields);
  registerSession(app, services);
  registerSessions(app, services);
  registerSecondFactor(app, services);
  registerChannels(app, services);
  registerChannelKeys(app, services);
  registerChannelPolicy(app, services);
  registerChannelLimits(app, services);
  registerCountries(app);
  registerProducts(app, services);
  registerVariants(app, services);
  registerMappings(app, services);
  registerMappingCsv(app, services);
  registerStock(app, services);
  registerStockMovements(app, services);
  registerStockCsv(app, services);
  registerStockOrders(app, services);
  registerAllocations(app, services);
  registerAllocationCsv(app, services);
  registerExchangeRates(app, services);
  registerCurrentRates(app, services);
  registerCommonCodes(app, services);
  registerAudit(app, services);
  registerOrderList(app, services);
  registerOrders(app, services);
  registerProductInfo(app, services);
  registerReconcile(app, services);
  registerUsers(app, services);
  registerTokens(app, services);
  for (const feature of features) feature.operations?.(app);
}
