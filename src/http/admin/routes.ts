// All routes under /admin/v1, behind authentication. One file per subject.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { takeLargeBodies } from '../transport/options.ts';
import { registerAllocationMatrix } from './allocation-matrix.ts';
import { registerAllocations } from './allocations.ts';
import { registerAudit } from './audit.ts';
import { guard, guardAgain } from './auth.ts';
import { registerBulkStatus } from './bulk-status.ts';
import { registerChannelKeys } from './channel-keys.ts';
import { registerChannelPolicy } from './channel-policy.ts';
import { registerChannels } from './channels.ts';
import { registerChecklist } from './checklist.ts';
import { registerCommonCodes } from './common-codes.ts';
import { registerCountries } from './countries.ts';
import { registerCurrentRates } from './current-rates.ts';
import { registerExchangeRates } from './exchange-rates.ts';
import { registerMappingCsv } from './mapping-csv.ts';
import { registerMappings } from './mappings.ts';
import { registerOrders } from './orders.ts';
import { registerOverview } from './overview.ts';
import { registerProductInfo } from './product-info.ts';
import { registerProducts } from './products.ts';
import { registerReconcile } from './reconcile.ts';
import { registerShipments } from './shipments.ts';
import { registerSession } from './session.ts';
import { registerStockOrders } from './stock-orders.ts';
import { registerStock } from './stock.ts';
import { registerTokens } from './tokens.ts';
import { registerUnmapped } from './unmapped.ts';
import { registerUsers } from './users.ts';

export function registerAdminApi(app: FastifyInstance, services: Services): void {
  app.decorateRequest('operator', null);
  takeLargeBodies(app);
  app.addHook('onRequest', (_request, reply, done) => {
    // Stock, orders and personal data must not be cached by proxies.
    reply.header('cache-control', 'no-store');
    done();
  });
  app.addHook('onRequest', guard(services));
  app.addHook('preValidation', guardAgain(services));
  registerSession(app, services);
  registerOverview(app, services);
  registerChannels(app, services);
  registerChannelKeys(app, services);
  registerChannelPolicy(app, services);
  registerChecklist(app, services);
  registerCountries(app);
  registerProducts(app, services);
  registerMappings(app, services);
  registerMappingCsv(app, services);
  registerUnmapped(app, services);
  registerStock(app, services);
  registerStockOrders(app, services);
  registerAllocations(app, services);
  registerAllocationMatrix(app, services);
  registerExchangeRates(app, services);
  registerCurrentRates(app, services);
  registerCommonCodes(app, services);
  registerAudit(app, services);
  registerOrders(app, services);
  registerBulkStatus(app, services);
  registerShipments(app, services);
  registerProductInfo(app, services);
  registerReconcile(app, services);
  registerUsers(app, services);
  registerTokens(app, services);
}
