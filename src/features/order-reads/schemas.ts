// Order reads, as schemas.
import { nullable } from '../../platform/schema/building-blocks.ts';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { TOKEN_CHARACTERS_MAX, Wait } from '../../core/channel-api/schemas.ts';

const CHANGED_ORDERS_MAX = 500;

export const OrderChangesQuery = Type.Object({
  changes_since: Type.String({
    maxLength: TOKEN_CHARACTERS_MAX,
    description:
      'The changes_since of the answer before; empty: from the first order on; `now`: only what comes after this request. A token does not expire.',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: CHANGED_ORDERS_MAX, description: 'So many changes at most.' }),
  ),
  wait: Wait,
});
export type OrderChangesQuery = Static<typeof OrderChangesQuery>;

export const OrderChangesAnswer = Type.Object(
  {
    changes: Type.Array(
      Type.Object(
        {
          id: Type.Integer(),
          order_number: Type.String(),
          status: Type.Integer(),
          tracking_number: nullable<string>({ type: 'string' }),
          courier_code: nullable<string>({ type: 'string' }),
          courier_name: nullable<string>({ type: 'string' }),
          cancel_reason: nullable<string>({ type: 'string' }),
          changed_at: Type.String({ description: 'ISO 8601 with offset.' }),
        },
        { title: 'OrderChange' },
      ),
      {
        description:
          'Orders whose status has changed, each as it is now. An order may be told again; no change is left out.',
      },
    ),
    changes_since: Type.String({ description: 'The token for the next request.' }),
    has_more: Type.Boolean({ description: 'True: ask again at once with the new token.' }),
  },
  { title: 'OrderChanges' },
);
