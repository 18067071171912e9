// The order feed: every accepted order and every change of status, for systems that poll.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { STATUSES } from '../../core/rules/transitions.ts';
import { FROM_NOW, readOrderChanges } from './feed.ts';
import { TOKEN_CHARACTERS_MAX } from '../../core/channel-api/schemas.ts';
import { IntegerOf } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import {
  linkOf,
  maskContact,
  orderFields,
  OrderLineDetail,
  seesPersonalData,
  timesOf,
} from '../../core/orders/fields.ts';
import { limitOf, pageQuery } from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import { COMMON_ANSWERS, security, Timestamp } from '../../platform/admin-api/schemas.ts';

const ChangesQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength: TOKEN_CHARACTERS_MAX,
      description: `The \`next\` of the answer before; without it, from the first order on; \`${FROM_NOW}\`: only what comes after this request. A token does not expire.`,
    }),
  ),
  limit: pageQuery.limit,
});

const Changes = Type.Object({
  data: Type.Array(
    Type.Object({
      ...orderFields,
      status: IntegerOf(STATUSES),
      previous_status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'null: the order was accepted.',
      }),
      changed_at: Timestamp,
      source: Type.String({ examples: ['channel', 'back_office', 'import', 'service'] }),
      recipient_phone: Type.String(),
      shipping_address: Type.String(),
      items: Type.Array(OrderLineDetail),
    }),
    { description: 'For each order in the sequence of its changes. All fields but `status` are as of now.' },
  ),
  next: Type.String({ description: 'For `since` of the next request.' }),
  has_more: Type.Boolean({ description: 'True: ask again at once.' }),
});

export function registerOrderChanges(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;

  app.route<{ Querystring: Static<typeof ChangesQuery> }>({
    method: 'GET',
    url: '/orders/changes',
    schema: {
      summary: 'Every accepted order and every change of status since a token',
      description:
        'Gap-free, and in order for each order, however late a change was committed and by whichever process. Viewers see personal data masked.',
      tags: ['orders'],
      security,
      querystring: ChangesQuery,
      response: { 200: Changes, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { since } = request.query;
      const read = await readOrderChanges(services.pool, { since, limit: limitOf(request.query) });
      if (!read) throw Refusal.invalid('since', { kind: 'since_unknown' });
      const { changes, next, has_more } = read;
      const isMasked = !seesPersonalData(operatorOf(request));
      const data = changes.map(({ step, order }) => {
        const shown = isMasked ? maskContact(order) : order;
        return {
          ...shown,
          ...timesOf(shown, formatTimestamp),
          tracking_link: linkOf(shown),
          status: step.to,
          previous_status: step.from,
          changed_at: formatTimestamp(step.at),
          source: step.source,
        };
      });
      return { data, next, has_more };
    },
  });
}
