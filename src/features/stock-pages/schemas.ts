// GET /inventory with parameters, as schemas.
import { nullable } from '../../platform/schema/building-blocks.ts';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { InventoryRow, Wait } from '../../core/channel-api/schemas.ts';

const PAGE_ROWS_MAX = 10_000;

/** Without query parameters the response contains only `data`; the other fields belong to the parameters. */
export const InventoryParts = Type.Object(
  {
    data: Type.Array(InventoryRow, { description: 'By SKU.' }),
    next_cursor: Type.Optional(
      nullable<string>({
        type: 'string',
        description: 'With limit: the cursor of the next page; null on the last.',
      }),
    ),
    removed: Type.Optional(
      Type.Array(Type.String(), { description: 'With changes_since: SKUs that are not mapped any more.' }),
    ),
    changes_since: Type.Optional(
      Type.String({
        description:
          'With limit or changes_since: the token to ask for changes with. That of a page covers all that changes while the pages are read.',
      }),
    ),
    is_complete: Type.Optional(
      Type.Boolean({
        description:
          'With changes_since: true where the token is too old or unknown; data begins the whole list, which replaces yours.',
      }),
    ),
    has_more: Type.Optional(
      Type.Boolean({
        description: 'With changes_since: true where there is more; ask again at once with the new token.',
      }),
    ),
  },
  { title: 'InventoryList' },
);

export const InventoryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_ROWS_MAX,
      description: 'Asks for a page of so many rows, or for so many changes.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'With limit: the next_cursor of the page before.' })),
  changes_since: Type.Optional(
    Type.String({
      description:
        'Asks for the rows that changed since this token was given out. A row may be told again; none is left out.',
    }),
  ),
  wait: Wait,
});
export type InventoryQuery = Static<typeof InventoryQuery>;
