// Parses a body: its JSON, or the position where it stops being JSON.
import { gunzipSync } from 'node:zlib';

export type Body =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  /** The position where the JSON is invalid, counted from 1; null: unknown. */
  | { kind: 'broken'; at: { line: number; column: number } | null }
  | { kind: 'not_json' }
  | { kind: 'too_long' };

const BODY_READ_BYTES_MAX = 1024 * 1024;

/** Collects bytes up to a limit while they are forwarded. */
export class Tap {
  #chunks: Buffer[] | null = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > BODY_READ_BYTES_MAX) this.#chunks = null;
    this.#chunks?.push(chunk);
  }

  /** The request body as JSON, regardless of its content type: the service parses it that way too. */
  sent(): Body {
    return this.#chunks === null ? { kind: 'too_long' } : readJson(Buffer.concat(this.#chunks));
  }

  answered(contentType: string | undefined, encoding: string | undefined): Body {
    if (this.#chunks === null) return { kind: 'too_long' };
    const bytes = Buffer.concat(this.#chunks);
    if (bytes.length === 0) return { kind: 'none' };
    if (contentType?.includes('json') !== true) return { kind: 'not_json' };
    return encoding === 'gzip' ? unpacked(bytes) : readJson(bytes);
  }
}

function unpacked(bytes: Buffer): Body {
  try {
    return readJson(gunzipSync(bytes, { maxOutputLength: BODY_READ_BYTES_MAX }));
  } catch {
    return { kind: 'too_long' };
  }
}

function readJson(bytes: Buffer): Body {
  if (bytes.length === 0) return { kind: 'none' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { kind: 'broken', at: null };
  }
  try {
    return { kind: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'broken', at: placeOf(error, text) };
  }
}

/** Returns only the position from the parser's message, because the rest of the message quotes the body. */
function placeOf(error: unknown, text: string): { line: number; column: number } | null {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  if (position === undefined) return null;
  const before = text.slice(0, Number(position)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
