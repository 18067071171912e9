// A webhook receiver: records requests, and answers with the status that the test sets.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listen } from './ports.ts';

export interface Received {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed body, untyped for assertions. */
  json: any;
}

/** A status; undefined: no answer at all. */
type Answer = number | undefined | Promise<number | undefined>;

export interface Receiver {
  url: string;
  received: Received[];
  /** Connections that were opened. */
  connections(): number;
  answer: (message: Received) => Answer;
  close(): Promise<void>;
}

export async function startReceiver(answer: (message: Received) => Answer = () => 200): Promise<Receiver> {
  let connections = 0;
  const respond = async (message: Received, response: ServerResponse): Promise<void> => {
    const status = await receiver.answer(message);
    if (status === undefined) return;
    response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' });
    response.end(status < 300 ? '' : 'no, thank you');
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const message = {
        id: String(request.headers['webhook-id']),
        path: String(request.url),
        headers: request.headers,
        body,
        json: JSON.parse(body) as unknown,
      };
      receiver.received.push(message);
      void respond(message, response);
    });
  });
  server.on('connection', () => (connections += 1));
  const port = await listen(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    connections: () => connections,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
