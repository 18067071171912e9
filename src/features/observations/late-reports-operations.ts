// Late reports and resends as a worklist.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { dismissLateReport } from './changes.ts';
import { LATE_KINDS, type LateKind } from './late-reports-rules.ts';
import { STATUSES, type Status } from '../../core/rules/transitions.ts';
import { listLateReports } from './late-reports-store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { timeAfter, timeKey } from '../../platform/admin-api/time-cursor.ts';
import { ListOf, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import {
  COMMON_ANSWERS,
  int64Id,
  PathId,
  RefusalBody,
  SearchQuery,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { ChannelIdQuery } from '../../core/channels/existing.ts';
import { change } from '../../platform/accounts/change.ts';

const lateReportIdOf = ({ id }: { id: string }): number =>
  int64Id(id, { kind: 'late_report_unknown', late_report_id: id });

const KindName = Type.Unsafe<LateKind>({
  type: 'string',
  enum: [...LATE_KINDS],
  description:
    'report_after_cancel: a status such as a payment was reported for a cancelled order; resend_after_cancel: a cancelled order was sent again; cancel_after_ship: a cancellation was reported for a shipped order; report_unknown: a status was reported for an order that the service does not have.',
});
const MaybeStatus = (description: string) =>
  nullable<Status>({ type: 'integer', enum: [...STATUSES], description });

const LateItem = Type.Object({
  id: Type.Integer(),
  kind: KindName,
  channel_id: Type.Integer(),
  channel_name: Type.String(),
  order_number: Type.String(),
  order_id: nullable<number>({ type: 'integer', description: 'null: the service does not have the order.' }),
  status: MaybeStatus('Of the order now.'),
  expired: Type.Boolean({
    description:
      'The service cancelled the order, because it was not paid in time. A payment may have to be returned.',
  }),
  requested_status: MaybeStatus('The last one reported; null: the order was sent again.'),
  request_id: Type.String({ description: 'The X-Request-Id of the last one.' }),
  count: Type.Integer(),
  first_at: Timestamp,
  at: Timestamp,
});
const LateQuery = Type.Object({
  ...pageQuery,
  channel_id: ChannelIdQuery,
  kind: Type.Optional(KindName),
  search: SearchQuery,
});
const LateParams = Type.Object({ id: PathId('The id of the entry.') });
const tags = ['orders'];

export function registerLateReports(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;

  app.route<{ Querystring: Static<typeof LateQuery> }>({
    method: 'GET',
    url: '/late-reports',
    schema: {
      summary: 'Reports and resends that came too late, latest first',
      description:
        'Up to date within a few seconds. One entry for each order and kind; the last 2,000 of each channel are kept, for 30 days.',
      tags,
      security,
      querystring: LateQuery,
      response: { 200: ListOf(LateItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { channel_id = null, kind = null, search = null } = query;
      const filter = { channel_id, kind, search, after: timeAfter(query) };
      return readPage(services.pool, query, {
        read: (tx, limit) => listLateReports(tx, { ...filter, limit }),
        key: ({ last_at, id }) => timeKey(last_at, id),
        present: ({ first_at, last_at, ...row }) => ({
          ...row,
          first_at: formatTimestamp(first_at),
          at: formatTimestamp(last_at),
        }),
      });
    },
  });

  app.route<{ Params: Static<typeof LateParams> }>({
    method: 'DELETE',
    url: '/late-reports/:id',
    config: { role: 'operator' },
    schema: {
      summary: 'Remove an entry that is settled, until the channel sends it again',
      tags,
      security,
      params: LateParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = lateReportIdOf(request.params);
      await change(services, request, (tx, by) => dismissLateReport(tx, by, { id }));
      return reply.code(204).send();
    },
  });
}
