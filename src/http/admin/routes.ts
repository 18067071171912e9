// The operator's side: everything under /admin/v1, behind the guard. One file per subject.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { registerAllocations } from './allocations.ts';
import { registerAudit } from './audit.ts';
import { guard } from './auth.ts';
import { registerChannels } from './channels.ts';
import { registerCommonCodes } from './common-codes.ts';
import { registerExchangeRates } from './exchange-rates.ts';
import { registerMappings } from './mappings.ts';
import { registerOrders } from './orders.ts';
import { registerProductInfo } from './product-info.ts';
import { registerProducts } from './products.ts';
import { registerReconcile } from './reconcile.ts';
import { registerStock } from './stock.ts';

export function registerAdminApi(app: FastifyInstance, services: Services): void {
  app.decorateRequest('operator', null);
  app.addHook('onRequest', guard(services));
  registerChannels(app, services);
  registerProducts(app, services);
  registerMappings(app, services);
  registerStock(app, services);
  registerAllocations(app, services);
  registerExchangeRates(app, services);
  registerCommonCodes(app, services);
  registerAudit(app, services);
  registerOrders(app, services);
  registerProductInfo(app, services);
  registerReconcile(app, services);
}
