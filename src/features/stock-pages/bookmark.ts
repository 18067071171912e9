// Encodes a client's position in the stock list, as a cursor or as a token for changes. It needs no signature: a forged
// bookmark reveals nothing beyond what the channel's key can read.
import type { Bookmark } from './pages.ts';
import { isMoment, type Moment } from '../../core/journal/snapshot-rules.ts';
import { isStorable } from '../../platform/schema/building-blocks.ts';

const VERSION = 1;

/** Version, channel, era and snapshot; between two pages also the last SKU and the snapshot at which the changes start. */
export function encodeBookmark({ channel_id, moment, part }: Bookmark): string {
  const fields = [VERSION, channel_id, moment.era, moment.snapshot];
  const all = part ? [...fields, part.after_sku, part.since?.snapshot ?? null] : fields;
  return Buffer.from(JSON.stringify(all)).toString('base64url');
}

/** null: not a bookmark of this service. */
export function decodeBookmark(text: string): Bookmark | null {
  const fields = fieldsOf(text);
  if (!fields || (fields.length !== 4 && fields.length !== 6)) return null;
  const [version, channel_id, era, snapshot, after_sku, since] = fields;
  if (version !== VERSION || typeof channel_id !== 'number' || !Number.isSafeInteger(channel_id)) return null;
  const moment = momentOf(era, snapshot);
  if (!moment) return null;
  const bookmark = { channel_id, moment };
  if (fields.length === 4) return { ...bookmark, part: null };
  if (typeof after_sku !== 'string' || !isStorable(after_sku)) return null;
  if (since === null) return { ...bookmark, part: { after_sku, since } };
  const changedSince = momentOf(era, since);
  return changedSince && { ...bookmark, part: { after_sku, since: changedSince } };
}

function momentOf(era: unknown, snapshot: unknown): Moment | null {
  if (typeof era !== 'string' || typeof snapshot !== 'string') return null;
  const moment = { era, snapshot };
  return isMoment(moment) ? moment : null;
}

function fieldsOf(text: string): unknown[] | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return null;
  try {
    const fields: unknown = JSON.parse(bytes.toString('utf8'));
    return Array.isArray(fields) ? fields : null;
  } catch {
    return null;
  }
}
