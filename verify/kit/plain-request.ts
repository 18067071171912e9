// One request by node:http. Unlike fetch it leaves paths, redirects and compressed bodies as they are, and each request
// may have a connection of its own. It never waits for ever: a test that hangs says nothing.
import { request, type Agent, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Longer than any answer takes on a busy machine. */
const ANSWER_MS_MAX = 120_000;

export interface PlainAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Rejects when the connection breaks, and when there is no complete answer in time. */
export function plainRequest(
  url: string,
  options: RequestOptions,
  chunks: readonly (string | Buffer)[] = [],
  ms = ANSWER_MS_MAX,
): Promise<PlainAnswer> {
  const { href, origin } = new URL(url);
  // node:http would leave out the question mark of an empty query.
  const path = href.slice(origin.length);
  return new Promise((resolve, reject) => {
    const sent = request(url, { path, ...options }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      buffer(answer).then((body) => resolve({ status, headers, body }), reject);
    });
    const what = `${sent.method} ${url}`;
    const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${ms} ms: ${what}`)), ms);
    sent.on('close', () => clearTimeout(timer));
    sent.on('error', reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

/** A request with a body of JSON, or without a body if it is null, and its answer as text. */
export async function jsonRequest(
  url: string,
  { headers, ...options }: { method: string; agent: Agent; headers: Record<string, string> },
  body: string | Uint8Array | null,
  ms = ANSWER_MS_MAX,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const sent = body === null ? [] : [Buffer.from(body as string)];
  const ofBody = sent[0] && { 'content-type': 'application/json', 'content-length': sent[0].length };
  const answer = await plainRequest(url, { ...options, headers: { ...ofBody, ...headers } }, sent, ms);
  return { status: answer.status, headers: answer.headers, text: answer.body.toString() };
}
