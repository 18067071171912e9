// One request as bytes, and its first answer.
import { RawConnection } from '../../verify/kit/raw-http.ts';
import type { HttpAnswer } from '../../verify/kit/service.ts';

export interface RawOptions {
  /** Half-close the connection after the last byte. */
  end?: boolean;
  /** Timeout for an answer. */
  wait_ms?: number;
}

/** Sends the pieces separately and returns the first complete answer; null if the connection closed without one. */
export async function sendRaw(
  origin: string,
  pieces: string | Uint8Array | readonly (string | Uint8Array)[],
  { end: closes = false, wait_ms = 30_000 }: RawOptions = {},
): Promise<HttpAnswer | null> {
  const list = typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces;
  const connection = new RawConnection(origin);
  const sent = list.map((piece) => Buffer.from(piece));
  const method = sent[0]?.toString('latin1').split(' ')[0] ?? 'GET';
  const { answers, end, rest } = await connection.send({ pieces: sent, methods: [method], closes, wait_ms });
  connection.close();
  const [answer] = answers;
  if (!answer && end === 'silent')
    throw new Error(`no answer in ${wait_ms} ms; so far: ${rest.toString().slice(0, 200)}`);
  if (!answer) return null;
  const text = answer.body.toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: answer.status, headers: new Headers([...answer.headers]), text, json };
}
