// Requests over keep-alive connections. A missing answer is an expected outcome, and has its own error.
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export class KeptConnections {
  readonly #agent: Agent;
  readonly #timeout_ms: number;

  /** The timeout is longer than the service may take, so that a slow answer is not counted as a missing one. */
  constructor(timeout_ms: number, sockets_max = Infinity) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets_max });
    this.#timeout_ms = timeout_ms;
  }

  close(): void {
    this.#agent.destroy();
  }

  send(
    origin: string,
    { method, path, headers, body }: Call,
  ): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
    return new Promise((resolve, reject) => {
      const type =
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(`${origin}${path}`, {
        method,
        agent: this.#agent,
        headers: { ...headers, ...type },
      });
      const ms = this.#timeout_ms;
      const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${ms} ms`)), ms);
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(error);
      };
      sent.on('error', fail);
      sent.on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('error', fail);
        answer.on('close', () => {
          if (!answer.complete) fail(new Error('the answer broke off'));
        });
        answer.on('end', () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
        });
      });
      sent.end(body);
    });
  }
}
