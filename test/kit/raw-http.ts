// Bytes on a socket, for what no HTTP client would send.
import { connect } from 'node:net';
import type { HttpAnswer } from '../../verify/kit/service.ts';

export interface RawOptions {
  /** Close our side after the last byte. */
  end?: boolean;
  /** Give up waiting for an answer after this long. */
  wait_ms?: number;
}

/** Sends the pieces one by one and gives the first complete answer; null when the connection closed without. */
export function sendRaw(
  origin: string,
  pieces: string | Uint8Array | readonly (string | Uint8Array)[],
  { end = false, wait_ms = 30_000 }: RawOptions = {},
): Promise<HttpAnswer | null> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(Number(port), hostname);
    const settle = (answer: HttpAnswer | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer in ${wait_ms} ms; so far: ${received.toString().slice(0, 200)}`));
    }, wait_ms);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = parseAnswer(received);
      if (answer) settle(answer);
    });
    socket.on('close', () => settle(parseAnswer(received)));
    socket.on('error', () => settle(parseAnswer(received)));
    socket.on('connect', () => {
      void (async () => {
        for (const piece of typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces) {
          socket.write(piece);
          await new Promise((next) => {
            setTimeout(next, 5);
          });
        }
        if (end) socket.end();
      })();
    });
  });
}

/** Our answers all have a Content-Length; null while it is not all there. */
function parseAnswer(bytes: Buffer): HttpAnswer | null {
  const split = bytes.indexOf('\r\n\r\n');
  if (split === -1) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, split).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = Number(headers.get('content-length') ?? 0);
  const body = bytes.subarray(split + 4);
  if (body.length < length) return null;
  const text = body.subarray(0, length).toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: Number(statusLine.split(' ')[1]), headers, text, json };
}
