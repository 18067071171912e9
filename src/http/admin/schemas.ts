// Building blocks of the admin routes: what every one of them declares, and ids out of paths.
import type { FastifyInstance } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { INT32_MAX } from '../../domain/stock.ts';
import { ROLES, type Role } from '../../store/tokens.ts';
import { ErrorBody, ValidationBody } from '../schema.ts';
import { Refusal } from './refusal.ts';

export const CODE_CHARACTERS_MAX = 100;
export const REASON_CHARACTERS_MAX = 255;

/** Either of them. */
export const security = [{ bearer: [] }, { session: [] }];

/** What a program decides on is the code, where there is one. */
export const CodedError = Type.Object({ error: Type.String(), code: Type.Optional(Type.String()) });

export const RoleName = Type.Unsafe<Role>({ type: 'string', enum: [...ROLES] });

export const DataOf = <T extends TSchema>(item: T) => Type.Object({ data: item });

/** What any route behind the guard may answer beside its own. */
export const COMMON_ANSWERS = {
  401: ErrorBody,
  403: CodedError,
  422: { anyOf: [ValidationBody, ErrorBody] },
  429: ErrorBody,
  500: ErrorBody,
  503: ErrorBody,
};

export const Timestamp = Type.String({
  description: 'ISO 8601 with offset.',
  examples: ['2026-11-15T09:30:00+09:00'],
});

/** A code or SKU in a path: percent-encoded there, any storable text once decoded. */
export const PathText = (description: string) => Type.String({ format: 'text', description });

/** Text in the schema, because an id that is no number is simply not found. */
export const PathId = (description: string) => Type.String({ description, examples: ['7'] });

/** The id of a 32-bit column; what cannot be one is not found, and never reaches the database. */
function int32Id(text: string, what: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (id > INT32_MAX) throw Refusal.notFound(`${what} ${text}`);
  return id;
}

/** For a scope whose routes take no body: a client that announces JSON and sends nothing is welcome too. */
export function readNoBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

export const userIdOf = (params: { id: string }): number => int32Id(params.id, 'User');
export const tokenIdOf = (params: { id: string }): number => int32Id(params.id, 'Token');
export const channelIdOf = (params: { id: string }): number => int32Id(params.id, 'Channel');

export const secretIdOf = (params: { secretId: string }): number =>
  int32Id(params.secretId, 'Signing secret');

export const ChannelParams = Type.Object({ id: PathId('The channel id.') });

export const SearchQuery = Type.Optional(
  Type.String({ format: 'text', maxLength: 200, description: 'Part of a code or name, in any case.' }),
);
