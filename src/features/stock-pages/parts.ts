// GET /inventory with parameters: a page of the list, or its changes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bookmark, StockChanges, StockPages } from './pages.ts';
import type { ChannelApi } from '../../core/channel-api/channel-api.ts';
import { goneSignal } from '../../platform/http/response-end.ts';
import { failureAt, type ValidationFailure } from '../../platform/http/refuse.ts';
import { channelOf } from '../../core/channel-api/auth.ts';
import { decodeBookmark, encodeBookmark } from './bookmark.ts';
import { nameReason } from '../../core/channel-api/reasons.ts';
import { InventoryParts, InventoryQuery } from './schemas.ts';
import type { ListParts } from '../../core/channel-api/hooks.ts';
import { sendJson } from '../../core/channel-api/stock-list.ts';
import { readOrWait } from '../../core/channel-api/wait.ts';

const asksForAll = ({ limit, cursor, changes_since, wait }: InventoryQuery): boolean =>
  limit === undefined && cursor === undefined && changes_since === undefined && wait === undefined;

export const listParts = (services: ChannelApi, pages: StockPages): ListParts<InventoryQuery> => ({
  schema: {
    summary: 'Stock of all products mapped to the channel; in pages, or what has changed, where asked for',
    description:
      'Without parameters the whole list, ordered by SKU, with an `ETag`. `limit` asks for pages, `changes_since` for what ' +
      'has changed, `wait` holds the answer back until something changes.',
    querystring: InventoryQuery,
  },
  answer: InventoryParts,
  send: (request, reply) => (asksForAll(request.query) ? null : sendPart(services, pages, request, reply)),
});

async function sendPart(
  services: ChannelApi,
  pages: StockPages,
  request: FastifyRequest<{ Querystring: InventoryQuery }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = channelOf(request);
  const asked = askedFor(id, request.query);
  if ('errors' in asked) return nameReason(reply, 'validation').code(422).send(asked);
  if ('since' in asked) {
    const found = await readChanges(services, pages, { request, reply }, asked);
    const { removed, next, is_complete, has_more } = found;
    const changes_since = encodeBookmark(next);
    return sendRows(services, request, reply, found, { removed, changes_since, is_complete, has_more });
  }
  const { rows, next, changes } = await pages.page(
    id,
    asked.limit,
    asked.cursor,
    goneSignal(request.raw, reply.raw),
  );
  const found = { rows, release: () => {} };
  return sendRows(services, request, reply, found, {
    next_cursor: next && encodeBookmark(next),
    changes_since: encodeBookmark(changes),
  });
}

interface AskedChanges {
  limit: number | null;
  since: Bookmark;
  wait: number;
}

type Asked = AskedChanges | { limit: number; cursor: Bookmark | null };

function readChanges(
  services: ChannelApi,
  pages: StockPages,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { limit, since, wait }: AskedChanges,
): Promise<StockChanges> {
  let at = since;
  return readOrWait(services, request, reply, {
    kind: 'stock',
    seconds: wait,
    read: async (gone) => {
      const found = await pages.changes(channelOf(request).id, limit, at, gone);
      at = found.next;
      return found;
    },
    // Rows from the cache must be released. Only a complete list contains them, and it is never discarded here.
    isEmpty: ({ rows, removed, is_complete, has_more }) =>
      rows.length + removed.length === 0 && !is_complete && !has_more,
  });
}

function askedFor(
  channelId: number,
  { limit, cursor, changes_since, wait }: InventoryQuery,
): Asked | ValidationFailure {
  if (wait !== undefined && changes_since === undefined)
    return failureAt('wait', 'wait can be used with changes_since only.');
  if (changes_since !== undefined) {
    if (cursor !== undefined)
      return failureAt('cursor', 'cursor and changes_since cannot be used in one request.');
    const since = decodeBookmark(changes_since);
    return since
      ? { limit: limit ?? null, since, wait: wait ?? 0 }
      : failureAt('changes_since', 'changes_since is not a valid token of this list.');
  }
  if (limit === undefined) return failureAt('limit', 'limit is required with a cursor.');
  if (cursor === undefined) return { limit, cursor: null };
  const found = decodeBookmark(cursor);
  return found?.channel_id === channelId && found.part?.since === null
    ? { limit, cursor: found }
    : failureAt('cursor', 'cursor is not a valid cursor of this list.');
}

const OPEN = Buffer.from('{"data":[');

/** `more`: the fields after `data`. */
function sendRows(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  { rows, release }: { rows: readonly Buffer[]; release: () => void },
  more: object,
): Promise<FastifyReply> {
  const rest = Buffer.from(`],${JSON.stringify(more).slice(1)}`);
  return sendJson(services, request, reply, { pieces: [OPEN, ...rows, rest], release });
}
