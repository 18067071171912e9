// Closes the connections of clients that read a long response too slowly. A timeout for clients that read nothing is not
// enough: one that reads a little now and then keeps the place of an export for hours.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenOver } from './response-end.ts';

interface SlowLimits {
  /** Time for which the client may delay the response without reading anything. */
  patience_ms: number;
  /** What the client must read in the rest of the time. */
  bytes_per_s_min: number;
}

/** Of a client that delayed the response for `delayed_ms` and has taken `sent` bytes. */
export const isTooSlow = (
  { delayed_ms, sent }: { delayed_ms: number; sent: number },
  { patience_ms, bytes_per_s_min }: SlowLimits,
): boolean => delayed_ms > patience_ms + (sent / bytes_per_s_min) * 1_000;

const LOOKS_PER_PATIENCE = 8;
const LOOK_MS_MAX = 1_000;

/** Only the time in which the response waits for the client counts, not that in which it waits for the database. */
export function closeIfSlow(request: IncomingMessage, response: ServerResponse, limits: SlowLimits): void {
  const { socket } = request;
  const sentBy = (): number => socket.bytesWritten - socket.writableLength;
  const before = sentBy();
  const every_ms = Math.min(LOOK_MS_MAX, limits.patience_ms / LOOKS_PER_PATIENCE);
  let delayed_ms = 0;
  const timer = setInterval(() => {
    if (socket.writableLength === 0) return;
    delayed_ms += every_ms;
    if (isTooSlow({ delayed_ms, sent: sentBy() - before }, limits)) socket.destroy();
  }, every_ms);
  timer.unref();
  whenOver(request, response, () => clearInterval(timer));
}
