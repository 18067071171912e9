// Requests over keep-alive connections. A missing answer is an expected outcome, and has its own error.
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { plainRequest } from './plain-request.ts';

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

  async send(
    origin: string,
    { method, path, headers, body = '' }: Call,
  ): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
    const type = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const answer = await plainRequest(
      `${origin}${path}`,
      { method, agent: this.#agent, headers: { ...headers, ...(body === '' ? {} : type) } },
      body === '' ? [] : [body],
      this.#timeout_ms,
    );
    return { status: answer.status, text: answer.body.toString(), headers: answer.headers };
  }
}
