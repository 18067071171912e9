// Do the counters still say what orders and ledger say?
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DRIFT_ROWS_MAX } from '../../store/reconcile.ts';
import type { Services } from '../services.ts';
import { COMMON_ANSWERS, DataOf, security } from './schemas.ts';

const Value = (description: string) =>
  Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description });

const Report = Type.Object({
  ok: Type.Boolean({ description: 'True when nothing differs.' }),
  checked: Type.Integer({
    description: 'Four counters a stock row, two an allocation, and each order with its lines and history.',
  }),
  drift: Type.Array(
    Type.Object({
      counter: Type.String({ examples: ['stock.unshipped'] }),
      variant_code: Type.Optional(Type.String()),
      channel_id: Type.Optional(Type.Integer()),
      order_number: Type.Optional(Type.String()),
      stored: Value('As it is in the database; null: there is no row. Amounts are decimal strings.'),
      computed: Value('As orders and ledger say it must be; null: there should be no row.'),
    }),
    { description: `What differs, the first ${DRIFT_ROWS_MAX}.` },
  ),
  drift_count: Type.Integer({ description: 'How many differ in all.' }),
});

export function registerReconcile(app: FastifyInstance, services: Services): void {
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
