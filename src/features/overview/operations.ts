// The console's overview: figures of the day, and what needs attention.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { STATUSES } from '../../core/rules/transitions.ts';
import type { Core } from '../../core/assembly/core.ts';
import type { LastReconcile as Reconciled } from '../../core/reconcile/reconciler.ts';
import { topic } from '../../platform/supervisor/other-workers.ts';
import { OVERVIEW_HOURS_MAX, type Overview } from './overview.ts';
import { IntegerOf } from '../../platform/schema/building-blocks.ts';
import { COMMON_ANSWERS, DataOf, security, Timestamp } from '../../platform/admin-api/schemas.ts';

const HOURS_DEFAULT = 24;

/** What the overview shows of one worker. */
interface WorkerFigures {
  readonly waiting: number;
  readonly capacity: number;
  readonly batches: number;
  readonly orders: number;
  readonly last_batch_size: number;
  readonly average_batch_ms: number;
  readonly retries: number;
  readonly reconcile: Reconciled | null;
}

const OverviewQuery = Type.Object({
  hours: Type.Optional(
    Type.Integer({ minimum: 1, maximum: OVERVIEW_HOURS_MAX, description: `Default ${HOURS_DEFAULT}.` }),
  ),
});

const LastReconcile = Type.Object({
  ok: Type.Boolean(),
  checked: Type.Integer(),
  drift_count: Type.Integer(),
  checked_at: Timestamp,
});

const OverviewAnswer = Type.Object({
  now: Timestamp,
  hours: Type.Array(Timestamp, {
    description: 'Start of each hour in the configured time zone; the last one is the current hour.',
  }),
  orders_per_hour: Type.Array(
    Type.Object({ channel_id: Type.Integer(), counts: Type.Array(Type.Integer()) }),
    { description: 'Channels with orders in these hours.' },
  ),
  channels: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), is_active: Type.Boolean() })),
  open_orders: Type.Array(Type.Object({ status: IntegerOf(STATUSES), count: Type.Integer() })),
  oldest_unpaid: Type.Array(
    Type.Object({
      id: Type.Integer(),
      order_number: Type.String(),
      channel_id: Type.Integer(),
      channel_name: Type.String(),
      created_at: Timestamp,
      total_amount: Type.String({ examples: ['45000.00'] }),
    }),
  ),
  low_stock: Type.Array(
    Type.Object({
      variant_code: Type.String(),
      product_name: Type.String(),
      common_available: Type.Integer(),
      quantity: Type.Integer(),
    }),
    { description: 'Mapped items with low stock, lowest first.' },
  ),
  overcommitted_count: Type.Integer({
    description: 'Items whose unshipped normal orders and pre-allocations exceed the physical stock.',
  }),
  refused: Type.Array(
    Type.Object({
      reason: Type.String({ examples: ['stock_insufficient', 'sku_unmapped', 'invalid'] }),
      count: Type.Integer(),
    }),
    { description: 'Refused orders in these hours, by reason as in the metrics.' },
  ),
  unmapped_count: Type.Integer({
    description: 'SKUs that channels requested and that are not mapped.',
  }),
  reconcile: Type.Unsafe<Static<typeof LastReconcile> | null>({
    ...LastReconcile,
    type: ['object', 'null'],
    description: 'The last run of this process or its workers; null before the first.',
  }),
  gate: Type.Object(
    {
      waiting: Type.Integer(),
      capacity: Type.Integer({ description: 'Queue length at which requests are refused.' }),
      batches: Type.Integer(),
      orders: Type.Integer({ description: 'Orders taken.' }),
      last_batch_size: Type.Integer(),
      average_batch_ms: Type.Number({ description: 'Average of the last hundred batches.' }),
      retries: Type.Integer(),
    },
    { description: 'For this process or its workers together, since their start.' },
  ),
});

export const FIGURES = topic<null, WorkerFigures>('figures');

type Overviewing = Core & { readonly overview: Overview };

export function registerOverview(app: FastifyInstance, services: Overviewing): void {
  app.route<{ Querystring: Static<typeof OverviewQuery> }>({
    method: 'GET',
    url: '/overview',
    schema: {
      summary: 'Figures of the last hours, and what needs attention',
      description: 'Figures may be up to two seconds old.',
      tags: ['operation'],
      security,
      querystring: OverviewQuery,
      response: { 200: DataOf(OverviewAnswer), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => ({ data: await overview(services, query.hours ?? HOURS_DEFAULT) }),
  });
}

async function overview(services: Overviewing, hours: number): Promise<Static<typeof OverviewAnswer>> {
  const { formatTimestamp: format } = services;
  const figures = await services.overview.read(hours);
  const { reconcile, ...gate } = together([
    workerFigures(services),
    ...(await services.others.ask(FIGURES, null)),
  ]);
  return {
    ...figures,
    now: format(figures.now),
    hours: figures.hours.map(format),
    oldest_unpaid: figures.oldest_unpaid.map((order) => ({ ...order, created_at: format(order.created_at) })),
    reconcile: reconcile && { ...reconcile, checked_at: format(reconcile.checked_at) },
    gate,
  };
}

/** The figures of this process only. */
export const workerFigures = ({ gate, metrics, reconciler }: Core): WorkerFigures => ({
  waiting: gate.waiting,
  capacity: gate.capacity,
  ...metrics.gateFigures(),
  reconcile: reconciler.last,
});

function together(workers: readonly WorkerFigures[]): WorkerFigures {
  const sum = (figure: (one: WorkerFigures) => number): number =>
    workers.reduce((total, one) => total + figure(one), 0);
  const batches = sum((one) => one.batches);
  const reconciles = workers.flatMap(({ reconcile }) => reconcile ?? []);
  return {
    waiting: sum((one) => one.waiting),
    capacity: sum((one) => one.capacity),
    batches,
    orders: sum((one) => one.orders),
    last_batch_size: Math.max(...workers.map((one) => one.last_batch_size)),
    average_batch_ms: batches === 0 ? 0 : sum((one) => one.average_batch_ms * one.batches) / batches,
    retries: sum((one) => one.retries),
    reconcile: reconciles.toSorted((a, b) => b.checked_at.getTime() - a.checked_at.getTime())[0] ?? null,
  };
}
