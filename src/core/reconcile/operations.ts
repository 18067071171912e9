// Reconcile: compares the counters with orders and ledger.
import type { FastifyInstance } from 'fastify';
import { Type } from '../../platform/schema/json-schema.ts';
import { DRIFT_ROWS_MAX } from './store.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import type { Reconciler } from './reconciler.ts';
import { COMMON_ANSWERS, DataOf, security } from '../../platform/admin-api/schemas.ts';

const Value = (description: string) =>
  Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description });

const Report = Type.Object({
  ok: Type.Boolean({ description: 'True if nothing differs.' }),
  checked: Type.Integer({
    description:
      'Four counters per stock row, two per allocation, and each order with its lines and history.',
  }),
  drift: Type.Array(
    Type.Object({
      counter: Type.String({ examples: ['stock.unshipped'] }),
      variant_code: Type.Optional(Type.String()),
      channel_id: Type.Optional(Type.Integer()),
      order_number: Type.Optional(Type.String()),
      stored: Value('The stored value; null: no row. Amounts are decimal strings.'),
      computed: Value('The value computed from orders and ledger; null: there should be no row.'),
    }),
    { description: `The first ${DRIFT_ROWS_MAX} differences.` },
  ),
  drift_count: Type.Integer({ description: 'Total number of differences.' }),
});

export function registerReconcile(
  app: FastifyInstance,
  services: BackOffice & { readonly reconciler: Reconciler },
): void {
  app.route({
    method: 'GET',
    url: '/reconcile',
    schema: {
      summary: 'Recompute every counter from orders and ledger',
      description: 'Reads all orders in one snapshot: seconds for a million of them.',
      tags: ['operation'],
      security,
      response: { 200: DataOf(Report), ...COMMON_ANSWERS },
    },
    handler: async () => ({ data: await services.reconciler.run() }),
  });
}
