// GET /inventory with parameters: a page of the list, or its changes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bookmark } from '../../engine/stock-pages.ts';
import type { Services } from '../services.ts';
import { failureAt, type ValidationFailure } from '../refuse.ts';
import { channelOf } from './auth.ts';
import { decodeBookmark, encodeBookmark } from './bookmark.ts';
import { nameReason } from './reasons.ts';
import type { InventoryQuery } from './schemas.ts';
import { sendJson } from './stock-list.ts';

export const asksForAll = ({ limit, cursor, changes_since }: InventoryQuery): boolean =>
  limit === undefined && cursor === undefined && changes_since === undefined;

export async function sendPart(
  services: Services,
  request: FastifyRequest<{ Querystring: InventoryQuery }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = channelOf(request);
  const asked = askedFor(id, request.query);
  if ('errors' in asked) return nameReason(reply, 'validation').code(422).send(asked);
  if ('since' in asked) {
    const found = await services.inventory.changes(id, asked.limit, asked.since);
    const { removed, next, is_complete, has_more } = found;
    const changes_since = encodeBookmark(next);
    return sendRows(services, request, reply, found, { removed, changes_since, is_complete, has_more });
  }
  const { rows, next, changes } = await services.inventory.page(id, asked.limit, asked.cursor);
  const found = { rows, release: () => {} };
  return sendRows(services, request, reply, found, {
    next_cursor: next && encodeBookmark(next),
    changes_since: encodeBookmark(changes),
  });
}

type Asked = { limit: number | null; since: Bookmark } | { limit: number; cursor: Bookmark | null };

function askedFor(
  channelId: number,
  { limit, cursor, changes_since }: InventoryQuery,
): Asked | ValidationFailure {
  if (changes_since !== undefined) {
    if (cursor !== undefined)
      return failureAt('cursor', 'cursor and changes_since cannot be used in one request.');
    const since = decodeBookmark(changes_since);
    return since
      ? { limit: limit ?? null, since }
      : failureAt('changes_since', 'changes_since is not a token that this list has given out.');
  }
  if (limit === undefined) return failureAt('limit', 'limit is required with a cursor.');
  if (cursor === undefined) return { limit, cursor: null };
  const found = decodeBookmark(cursor);
  return found?.channel_id === channelId && found.part?.since === null
    ? { limit, cursor: found }
    : failureAt('cursor', 'cursor is not one that this list has given out.');
}

const OPEN = Buffer.from('{"data":[');

/** `more` follows the rows. */
function sendRows(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { rows, release }: { rows: readonly Buffer[]; release: () => void },
  more: object,
): Promise<FastifyReply> {
  const rest = Buffer.from(`],${JSON.stringify(more).slice(1)}`);
  return sendJson(services, request, reply, { pieces: [OPEN, ...rows, rest], release });
}
