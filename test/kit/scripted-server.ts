// A real HTTP server that follows the script of a test, request by request, and records what it received.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../verify/kit/ports.ts';

export interface Received {
  method: string;
  /** As in the request line. */
  target: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export type Step = (response: ServerResponse) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Accepts the request and never answers. */
export const hang: Step = () => {};

const begin = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":');
};

/** Starts a valid answer and never finishes it. */
export const stall: Step = (response) => begin(response, 200);

/** Closes the connection without an answer. */
export const cut: Step = (response) => response.destroy();

/** Closes the connection in the middle of an answer. */
export const cutWith =
  (status: number): Step =>
  (response) => {
    begin(response, status);
    setImmediate(() => response.destroy());
  };

export const cutMidway = cutWith(200);

export interface ScriptedServer {
  /** Ends in /api/v1. */
  baseUrl: string;
  received: Received[];
  /** The next steps, in this order; the last step is repeated. */
  play(...steps: Step[]): void;
  close(): void;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: Received[] = [];
  let script: Step[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    received.push({ method, target, headers, body: await buffer(request) });
    const [step = cut, ...rest] = script;
    if (rest.length > 0) script = rest;
    step(response);
  };
  // The client may disconnect before it has sent everything.
  const server = createServer((request, response) => void serve(request, response).catch(() => {}));
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    received,
    play(...steps) {
      received.length = 0;
      script = steps;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
