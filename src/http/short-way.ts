// A short way past the framework, which takes a tenth of the service's time under load: a plain request goes from the
// socket to its work and back. Whatever is not plain, bad bodies and failures included, is handed to the framework as if
// it had just arrived, so that there is one place for each of those answers.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { REASON_HEADER } from './channel/reasons.ts';
import { putInFront } from './in-front.ts';
import { requestIdOf, SMALL_BODY_BYTES_MAX } from './transport.ts';

export interface PlainAnswer {
  status: number;
  /** JSON */
  text: string;
  /** Of a refusal: the header `Sluice-Error`. */
  reason?: string | undefined;
}

export interface ShortWay<Plain extends { route: string }> {
  /** null: not for this way. Looked at before the body. */
  recognise: (request: IncomingMessage) => Plain | null;
  /** null: the body is not what it should be, which the framework finds out again and says. */
  work: (plain: Plain, body: Buffer, requestId: string) => Promise<PlainAnswer> | null;
  /** Every answer carries them. */
  headers: Readonly<Record<string, string>>;
  answered: (request: { id: string; route: string; status: number; seconds: number }) => void;
}

interface Taken<Plain> {
  plain: Plain;
  length: number;
  request: IncomingMessage;
  response: ServerResponse;
  /** The framework's way. */
  serve: RequestListener;
}

/** Failures of work that was under way; the framework is told when it gets the request. */
const failures = new WeakMap<IncomingMessage, Error>();

export const failureOf = (request: IncomingMessage): Error | undefined => failures.get(request);

export function takeShortWay<Plain extends { route: string }>(server: Server, way: ShortWay<Plain>): void {
  putInFront(server, (serve) => (request, response) => {
    const length = Number(request.headers['content-length']);
    // While stopping, the framework knows what to say to connections.
    const isShort = server.listening && length > 0 && length <= SMALL_BODY_BYTES_MAX;
    const plain = isShort ? way.recognise(request) : null;
    if (plain) takeIn({ plain, length, request, response, serve });
    else serve(request, response);
  });

  function takeIn({ plain, length, request, response, serve }: Taken<Plain>): void {
    const started = performance.now();
    request.once('data', (chunk: Buffer) => {
      const id = requestIdOf(request);
      const answer = chunk.length === length ? way.work(plain, chunk, id) : null;
      if (!answer) {
        request.pause();
        request.unshift(chunk);
        serve(request, response);
        return;
      }
      void answer.then(
        ({ status, text, reason }) => {
          if (reason !== undefined) response.setHeader(REASON_HEADER, reason);
          send(response, status, id, text);
          const seconds = (performance.now() - started) / 1000;
          return way.answered({ id, route: plain.route, status, seconds });
        },
        (error: Error) => {
          failures.set(request, error);
          serve(request, response);
        },
      );
    });
  }

  function send(response: ServerResponse, status: number, id: string, text: string): void {
    response.writeHead(status, {
      'x-request-id': id,
      ...way.headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }
}
