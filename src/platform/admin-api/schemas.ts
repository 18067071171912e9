// Building blocks of the admin routes: common schemas, and ids from paths.
import type { FastifyInstance } from 'fastify';
import { Type, type TSchema } from '../schema/json-schema.ts';
import type { Refused } from './refused.ts';
import { INT32_MAX } from '../values/int32.ts';
import { CODE_SEARCH_CHARACTERS_MAX } from '../values/text-limits.ts';
import { ROLES, type Role } from '../values/roles.ts';
import { parseJsonBody } from '../schema/json-body.ts';
import { refusalOf } from './refusal.ts';

/** Either of the two is sufficient. */
export const security = [{ bearer: [] }, { session: [] }];

/** An object whose properties depend on the `code` next to it. */
export const facts = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });

/** Programs use `code` and `details`; the text is for people. */
export const RefusalBody = Type.Object(
  {
    error: Type.String(),
    code: Type.String(),
    details: Type.Optional(facts('Facts; which ones depends on the code.')),
  },
  { $id: 'Refusal', description: 'The request was refused; nothing was changed.' },
);

export const InvalidBody = Type.Object(
  {
    message: Type.String({ description: 'The first text, and how many more there are.' }),
    errors: Type.Record(Type.String(), Type.Array(Type.String())),
    code: Type.String({ description: '`validation`, or what is wrong with entries of a list.' }),
    details: Type.Object(
      {
        faults: Type.Array(
          Type.Object({
            field: Type.String({ description: 'The dotted path, as in `errors`.' }),
            code: Type.String({ description: 'What is wrong: `required`, `too_long`, `not_listed`, …' }),
            details: facts('Such as `characters_max`.'),
          }),
        ),
      },
      { additionalProperties: true },
    ),
  },
  {
    $id: 'InvalidRequest',
    description: 'The request is not of the required form: texts by field, and the same as codes and facts.',
  },
);

export const RoleName = Type.Unsafe<Role>({ type: 'string', enum: [...ROLES] });

export const DataOf = <T extends TSchema>(item: T) => Type.Object({ data: item });

/** Responses that every authenticated route may send. */
export const COMMON_ANSWERS = {
  401: RefusalBody,
  403: RefusalBody,
  422: { anyOf: [InvalidBody, RefusalBody] },
  429: RefusalBody,
  500: RefusalBody,
  503: RefusalBody,
};

export const Timestamp = Type.String({
  description: 'ISO 8601 with offset.',
  examples: ['2026-11-15T09:30:00+09:00'],
});

/** A code or SKU in a path: any storable text after percent-decoding. */
export const PathText = (description: string) => Type.String({ format: 'text', description });

/** Text in the schema, because an invalid id is answered with 404. */
export const PathId = (description: string) => Type.String({ description, examples: ['7'] });

/** The id of a 32-bit column; an invalid one is not found, without a query. */
export function int32Id(text: string, unknown: Refused): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (id > INT32_MAX) throw refusalOf(unknown);
  return id;
}

/** The id of a 64-bit column. */
export function int64Id(text: string, unknown: Refused): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw refusalOf(unknown);
  return id;
}

/** For a scope whose routes take no body: a JSON content type without a body is accepted, a field of a body is unknown. */
export function readNoBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    body.length === 0 ? undefined : parseJsonBody(body),
  );
}

/** For a scope whose routes may be called without a body. */
export function readOptionalBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    body.length === 0 ? {} : parseJsonBody(body),
  );
}

export const SearchQuery = Type.Optional(
  Type.String({
    format: 'text',
    maxLength: CODE_SEARCH_CHARACTERS_MAX,
    description: 'Part of a code or name, in any case, or a whole barcode.',
  }),
);

export const ArchivedQuery = Type.Optional(
  Type.Boolean({ description: 'true: what is archived instead of what is in use.' }),
);
