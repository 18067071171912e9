// One request by node:http. Unlike fetch it leaves paths, redirects and compressed bodies as they are, and each request
// may have a connection of its own. It never waits for ever: a test that hangs says nothing.
import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http';

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
      answer.toArray().then(
        (parts) =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts as Buffer[]),
          }),
        reject,
      );
    });
    const what = `${sent.method} ${url}`;
    const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${ms} ms: ${what}`)), ms);
    sent.on('close', () => clearTimeout(timer));
    sent.on('error', reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}
