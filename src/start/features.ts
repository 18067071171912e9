// The features of this service. Each is a folder and a line here.
import type { Feature } from '../core/assembly/feature.ts';
import { alertsFeature } from '../features/alerts/feature.ts';
import { allocationMatrix } from '../features/allocation-matrix/feature.ts';
import { backorders } from '../features/backorders/feature.ts';
import { backup } from '../features/backup/feature.ts';
import { bulkLookup } from '../features/bulk-lookup/feature.ts';
import { compare } from '../features/compare/feature.ts';
import { demo } from '../features/demo/feature.ts';
import { erasure } from '../features/erasure/feature.ts';
import { importsOf } from '../features/imports/feature.ts';
import { observationsFeature } from '../features/observations/feature.ts';
import { orderExport } from '../features/order-export/feature.ts';
import { orderFeed } from '../features/order-feed/feature.ts';
import { orderImport } from '../features/order-import/feature.ts';
import { orderReads } from '../features/order-reads/feature.ts';
import { overviewFeature } from '../features/overview/feature.ts';
import { prepaymentExpiry } from '../features/prepayment-expiry/feature.ts';
import { rateCollection } from '../features/rate-collection/feature.ts';
import { returnsAndNotes } from '../features/returns-and-notes/feature.ts';
import { shipping } from '../features/shipping/feature.ts';
import { singleSignOn } from '../features/single-sign-on/feature.ts';
import { stockPages } from '../features/stock-pages/feature.ts';
import { webhooksFeature } from '../features/webhooks/feature.ts';

export const FEATURES: readonly Feature[] = [
  alertsFeature,
  allocationMatrix,
  backorders,
  backup,
  bulkLookup,
  compare,
  demo,
  erasure,
  importsOf(() => FEATURES),
  observationsFeature,
  orderExport,
  orderFeed,
  orderImport,
  orderReads,
  overviewFeature,
  prepaymentExpiry,
  rateCollection,
  returnsAndNotes,
  shipping,
  singleSignOn,
  stockPages,
  webhooksFeature,
];
