// Schemas of product registration.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { FAILURE_REASONS, type FailureReason } from '../../platform/outbound/failure.ts';
import type { Side } from '../rules/set-sides.ts';
import type { RegistrationChanges } from './changes.ts';
import {
  nullable,
  OptionalBoolean,
  SKU_CHARACTERS_MAX,
  Text,
} from '../../platform/schema/building-blocks.ts';

const OPTION_CODES_MAX = 5_000;

export const ProductInfoRequest = Type.Object({
  usercode: Text(CODE_CHARACTERS_MAX, { description: 'The product code.' }),
  option_codes: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: Type.String({ maxLength: SKU_CHARACTERS_MAX }),
      minItems: 1,
      maxItems: OPTION_CODES_MAX,
      description: 'The options to apply. Default: all that are not hidden.',
    }),
  ),
});
export type ProductInfoRequest = Static<typeof ProductInfoRequest>;

export const ApplyRequest = Type.Object({
  ...ProductInfoRequest.properties,
  dry_run: OptionalBoolean({
    description: 'true: returns the plan for these options and changes nothing.',
  }),
});
export type ApplyRequest = Static<typeof ApplyRequest>;

const result = Type.Unsafe<'created' | 'updated' | 'unchanged'>({
  type: 'string',
  enum: ['created', 'updated', 'unchanged'],
});
const changes = {
  product: Type.Object({ code: Type.String(), name: Type.String(), result }),
  variants: Type.Array(
    Type.Object({ code: Type.String(), power: nullable<string>({ type: 'string' }), result }),
  ),
  mappings: Type.Array(Type.Object({ sku: Type.String(), variant_code: Type.String(), result })),
};
export const RegisteredChanges = Type.Object(changes);

const Action = <const T extends string>(...actions: T[]) => Type.Unsafe<T>({ type: 'string', enum: actions });
const optionalText = nullable<string>({ type: 'string' });
export const RegistrationPlan = Type.Object({
  product: Type.Object({
    code: Type.String(),
    name: Type.String(),
    action: Action('create', 'rename', 'keep'),
    before_name: optionalText,
  }),
  variants: Type.Array(
    Type.Object({
      code: Type.String(),
      power: optionalText,
      action: Action('create', 'update', 'keep'),
      before_power: optionalText,
    }),
  ),
  mappings: Type.Array(
    Type.Object({
      sku: Type.String(),
      variant_code: Type.String(),
      action: Action('create', 'replace', 'keep'),
      before: nullable<string>({ type: 'string', description: 'The variant it is mapped to now.' }),
    }),
  ),
});

const Fault = Type.Object({
  code: Type.String({ description: '`power_missing`, `code_differs`, `variant_taken`, …' }),
  rows: Type.Array(Type.Integer(), {
    description: 'Positions among `options`; none where the whole product is concerned.',
  }),
  details: Type.Object(
    {
      power: Type.Optional(Type.String()),
      option_codes: Type.Optional(Type.Array(Type.String())),
      group: Type.Optional(Type.String()),
      side: Type.Optional(Action('left', 'right')),
      in_group: Type.Optional(Type.String({ description: 'The group that has the power.' })),
      written_as: Type.Optional(
        Type.String({
          description: 'The same value in another notation, in the group that lacks the power.',
        }),
      ),
      times: Type.Optional(Type.Integer()),
      powers: Type.Optional(Type.Array(Type.String())),
      is_set: Type.Optional(Type.Boolean()),
      variant_code: Type.Optional(Type.String()),
      product_code: Type.Optional(Type.String()),
      characters: Type.Optional(Type.Integer()),
      characters_max: Type.Optional(Type.Integer()),
      groups_max: Type.Optional(Type.Integer()),
    },
    { additionalProperties: true, description: 'Facts; which ones depends on the code.' },
  ),
});

export const AdminProductInfo = Type.Object({
  found: Type.Boolean({
    description: 'False: the channel has no such product; `errors` contains its message.',
  }),
  product_code: Type.String({ description: 'The requested usercode.' }),
  goods_name: nullable<string>({ type: 'string' }),
  is_set: Type.Boolean({ description: 'A two-piece set: left and right are merged into one SKU per power.' }),
  groups: Type.Array(Type.String()),
  options: Type.Array(
    Type.Object({
      option_code: Type.String(),
      group: Type.String(),
      side: nullable<Side>({
        type: 'string',
        enum: ['left', 'right'],
        description: 'Of a set: by the name of the group, or in order of appearance.',
      }),
      power: Type.String(),
      stock: Type.Integer(),
      hidden: Type.Boolean(),
      variant_code: Type.String({ description: 'With the option code: identifies the row of `skus`.' }),
      problems: Type.Array(Type.String(), { description: 'The violations that concern this row.' }),
    }),
    { description: 'As the channel sent them, in its order.' },
  ),
  skus: Type.Array(
    Type.Object({
      power: Type.String(),
      option_code: Type.String({ description: 'The channel SKU.' }),
      stock: Type.Integer({ description: "The channel's own stock, for display only." }),
      hidden: Type.Boolean(),
      variant_code: Type.String({ description: 'The internal SKU it would be mapped to.' }),
    }),
  ),
  errors: Type.Array(Type.String(), { description: 'With any of these nothing can be applied.' }),
  violations: Type.Array(Type.Object({ ...Fault.properties, message: Type.String() }), {
    description: 'The same errors as facts, with the rows they affect.',
  }),
  changes: Type.Unsafe<RegistrationChanges | null>({
    type: ['object', 'null'],
    properties: changes,
    required: ['product', 'variants', 'mappings'],
    description: 'What applying would change; null if nothing.',
  }),
});

export const RegistrationError = Type.Object(
  {
    error: Type.String(),
    code: Action(
      'product_not_found',
      'option_configuration',
      'nothing_to_apply',
      'api_url_missing',
      'key_closed',
      'channel_failed',
    ),
    details: Type.Optional(
      Type.Object(
        {
          errors: Type.Optional(Type.Array(Type.String(), { description: 'Every fault, as a text.' })),
          violations: Type.Optional(Type.Array(Fault, { description: 'The same, as facts.' })),
          reason: Type.Optional(
            Type.Unsafe<FailureReason>({
              type: 'string',
              enum: FAILURE_REASONS,
              description: 'How the call of the channel failed.',
            }),
          ),
          host: Type.Optional(Type.String()),
        },
        {
          additionalProperties: true,
          description:
            'Facts; a failed call has more, by its reason: `status`, `timeout_ms`, `error_code`, …',
        },
      ),
    ),
  },
  { $id: 'RegistrationError', description: 'Why nothing was changed.' },
);
