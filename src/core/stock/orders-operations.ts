// The unshipped orders that hold an item.
import type { FastifyInstance } from 'fastify';
import { Type } from '../../platform/schema/json-schema.ts';
import { STATUSES } from '../rules/transitions.ts';
import { hasUnshippedOrders, listUnshippedOrders } from './store.ts';
import { IntegerOf } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { existingVariant } from '../products/existing.ts';
import { ListOf, numberAfter, pageQuery, readPage, type PageQuery } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, RefusalBody, security, Timestamp } from '../../platform/admin-api/schemas.ts';
import { VariantParams } from './item.ts';

const UnshippedOrder = Type.Object({
  id: Type.Integer(),
  order_number: Type.String(),
  channel_id: Type.Integer(),
  channel_name: Type.String(),
  status: IntegerOf(STATUSES),
  is_backorder: Type.Boolean(),
  quantity: Type.Integer({ description: 'Sum of this item over all lines.' }),
  from_allocation: Type.Integer({ description: "Of it, drawn from the channel's pre-allocation." }),
  created_at: Timestamp,
});

export function registerStockOrders(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: VariantParams; Querystring: PageQuery }>({
    method: 'GET',
    url: '/stock/:variant_code/orders',
    schema: {
      summary: 'The unshipped orders that hold this item, newest first',
      tags: ['stock'],
      security,
      params: VariantParams,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(UnshippedOrder), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { variant_code }, query }) => {
      const before = numberAfter(query);
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          const variant = await existingVariant(tx, variant_code);
          // Most items are held by no order. The counters show this without reading orders.
          if (!(await hasUnshippedOrders(tx, variant.id))) return [];
          return listUnshippedOrders(tx, variant.id, before, limit);
        },
        key: (row) => row.id,
        present: ({ created_at, ...row }) => ({ ...row, created_at: services.formatTimestamp(created_at) }),
      });
    },
  });
}
