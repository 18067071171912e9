// The audit log: who changed what, when, before and after.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../schema/json-schema.ts';
import { listAudit, readNames } from './store.ts';
import { nullable } from '../schema/building-blocks.ts';
import type pg from 'pg';
import type { FormatTimestamp } from '../values/timestamps.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../admin-api/page.ts';
import { COMMON_ANSWERS, security, Timestamp } from '../admin-api/schemas.ts';
import { TimeBound, readTimeBound } from '../admin-api/timestamp.ts';

const FILTER_CHARACTERS_MAX = 200;

const State = (description: string) =>
  nullable<object>({ type: 'object', additionalProperties: true, description });

const AuditItem = Type.Object(
  {
    id: Type.Integer(),
    at: Timestamp,
    actor: Type.String({ examples: ['token:warehouse'] }),
    actor_name: nullable<string>({ type: 'string', description: 'Name of the account; null: none.' }),
    action: Type.String({ examples: ['stock.set'] }),
    subject: Type.String({ description: 'What was changed.', examples: ['variant:P1-V1'] }),
    subject_name: nullable<string>({
      type: 'string',
      description: 'Of an account or channel the name, of an order its number; null: none.',
    }),
    before: State('The state before; null if there was none.'),
    after: State('The state after; null if nothing is left or the value is secret.'),
    request_id: nullable<string>({ type: 'string', description: 'The X-Request-Id of the change.' }),
  },
  { title: 'AuditEntry' },
);

const Only = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      format: 'text',
      maxLength: FILTER_CHARACTERS_MAX,
      description,
      examples: [example],
    }),
  );
const AuditQuery = Type.Object({
  ...pageQuery,
  subject: Only('Only changes of this subject (exact match).', 'channel:7'),
  actor: Only('Only changes by this actor (exact match).', 'token:warehouse'),
  action: Only('Only this action, or all actions with this prefix before the dot.', 'stock'),
  from: TimeBound('Changed at this time or later; a date counts from its start in the configured time zone.'),
  to: TimeBound('Changed before this time; a date includes the whole day.'),
});

interface Services {
  readonly pool: pg.Pool;
  readonly formatTimestamp: FormatTimestamp;
}

export function registerAudit(app: FastifyInstance, services: Services): void {
  app.route<{ Querystring: Static<typeof AuditQuery> }>({
    method: 'GET',
    url: '/audit',
    schema: {
      summary: 'Who changed what, newest first',
      tags: ['operation'],
      security,
      querystring: AuditQuery,
      response: { 200: ListOf(AuditItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { subject = null, actor = null, action = null } = query;
      const filter = {
        subject,
        actor,
        action,
        from: readTimeBound('from', query.from, services.formatTimestamp, 0),
        to: readTimeBound('to', query.to, services.formatTimestamp, 1),
        beforeId: numberAfter(query),
      };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          const entries = await listAudit(tx, { ...filter, limit });
          const names = await readNames(
            tx,
            entries.flatMap((entry) => [entry.actor, entry.subject]),
          );
          return entries.map((entry) => ({
            ...entry,
            actor_name: names.get(entry.actor) ?? null,
            subject_name: names.get(entry.subject) ?? null,
          }));
        },
        key: (row) => row.id,
        present: ({ at, ...row }) => ({
          ...row,
          at: services.formatTimestamp(at),
        }),
      });
    },
  });
}
