// The ledger of the physical stock.
import type { FastifyInstance } from 'fastify';
import { Type } from '../../platform/schema/json-schema.ts';
import { readNames } from '../../platform/audit/store.ts';
import { listMovements } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { existingVariant } from '../products/existing.ts';
import { ListOf, numberAfter, pageQuery, readPage, type PageQuery } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, RefusalBody, security, Timestamp } from '../../platform/admin-api/schemas.ts';
import { VariantParams } from './item.ts';

const MovementItem = Type.Object(
  {
    id: Type.Integer(),
    delta: Type.Integer(),
    quantity_after: Type.Integer(),
    kind: Type.String({ description: 'set, adjustment, shipment, import or return.' }),
    order_id: nullable<number>({ type: 'integer' }),
    order_number: nullable<string>({ type: 'string' }),
    actor: Type.String(),
    actor_name: nullable<string>({ type: 'string', description: 'Of an account or a channel; null: none.' }),
    reason: nullable<string>({ type: 'string' }),
    at: Timestamp,
  },
  { title: 'StockMovement' },
);

export function registerStockMovements(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: VariantParams; Querystring: PageQuery }>({
    method: 'GET',
    url: '/stock/:variant_code/movements',
    schema: {
      summary: 'The ledger of the physical stock, newest first',
      tags: ['stock'],
      security,
      params: VariantParams,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(MovementItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { variant_code }, query }) => {
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          const variant = await existingVariant(tx, variant_code);
          const movements = await listMovements(tx, variant.id, numberAfter(query), limit);
          const actors = movements.map(({ actor }) => actor);
          const names = await readNames(tx, actors);
          return movements.map((row) => ({ ...row, actor_name: names.get(row.actor) ?? null }));
        },
        key: (row) => row.id,
        present: ({ at, ...row }) => ({ ...row, at: services.formatTimestamp(at) }),
      });
    },
  });
}
