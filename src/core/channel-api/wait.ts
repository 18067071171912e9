// Reads that wait for a change (contract 10.22). The request holds a timer and no connection to the database.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WatchKind } from '../journal/watch.ts';
import type { ChannelApi } from './channel-api.ts';
import { goneSignal } from '../../platform/http/response-end.ts';
import { channelOf, checkKeyAgain } from './auth.ts';

export interface Waiting<T> {
  kind: WatchKind;
  seconds: number;
  /** `gone`: the client closed its connection. */
  read: (gone: AbortSignal) => Promise<T>;
  isEmpty: (found: T) => boolean;
}

/** Returns the result of `read` as soon as it is not empty; after the given time it returns the empty result. */
export async function readOrWait<T>(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, seconds, read, isEmpty }: Waiting<T>,
): Promise<T> {
  const { changeWatch } = services;
  const until = performance.now() + seconds * 1000;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const gone = goneSignal(request.raw, reply.raw);
  gone.addEventListener('abort', () => close());
  for (;;) {
    // Watch before reading, so that no change is missed in between.
    const watch = seconds === 0 ? null : await changeWatch.watch(kind, channelOf(request).id);
    try {
      const found = await read(gone);
      const leftMs = until - performance.now();
      const isOver = leftMs <= 0 || changeWatch.isClosed || gone.aborted;
      if (!watch || isOver || !isEmpty(found)) return found;
      await oneOf([watch.changed, closed], leftMs);
    } finally {
      watch?.end();
    }
    // The key may have been revoked in the meantime (contract 5.2a).
    await checkKeyAgain(services, request);
  }
}

async function oneOf(events: readonly Promise<void>[], ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([...events, late]);
  clearTimeout(timer);
}
