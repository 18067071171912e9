// Requests over kept connections. No answer at all is an expected thing here, and told as such.
import { Agent, request } from 'node:http';
import type { Answer } from './answers.ts';
import { RECIPIENT } from './answers.ts';
import type { Command } from './ledger.ts';
import type { Keys } from './setup.ts';

export interface ClientOptions {
  keys: Keys;
  admin_token: string;
  connections: number;
  /** Longer than the service may take, so that a slow answer is not taken for none. */
  timeout_ms: number;
}

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #agent: Agent;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections * 2 });
  }

  send(origin: string, command: Command): Promise<Answer> {
    return this.#call(origin, this.#callOf(command));
  }

  get(origin: string, channelId: number, path: string): Promise<Answer> {
    return this.#call(origin, { method: 'GET', path: `/api/v1${path}`, headers: this.#key(channelId) });
  }

  close(): void {
    this.#agent.destroy();
  }

  #key(channelId: number): Record<string, string> {
    return { 'x-api-key': this.#options.keys[channelId] ?? '' };
  }

  #callOf(command: Command): Call {
    const admin = { authorization: `Bearer ${this.#options.admin_token}` };
    switch (command.kind) {
      case 'order': {
        const { order_number, status, is_backorder, items } = command;
        const body = JSON.stringify({ order_number, status, is_backorder, items, ...RECIPIENT });
        return { method: 'POST', path: '/api/v1/orders', headers: this.#key(command.channel_id), body };
      }
      case 'report': {
        const { order_number, status } = command;
        const body = JSON.stringify({ status, tracking_number: `T-${order_number}`, reason: 'drill' });
        const path = `/api/v1/orders/${encodeURIComponent(order_number)}/status`;
        return { method: 'POST', path, headers: this.#key(command.channel_id), body };
      }
      case 'adjust': {
        const { delta, reason, variant_code } = command;
        const path = `/admin/v1/stock/${variant_code}/adjustments`;
        return { method: 'POST', path, headers: admin, body: JSON.stringify({ delta, reason }) };
      }
      case 'count': {
        const { quantity, expected_quantity, variant_code } = command;
        const body = JSON.stringify({ quantity, expected_quantity, reason: 'counted' });
        return { method: 'PUT', path: `/admin/v1/stock/${variant_code}`, headers: admin, body };
      }
    }
  }

  #call(origin: string, { method, path, headers, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(`${origin}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          ...headers,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      });
      const { timeout_ms } = this.#options;
      const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${timeout_ms} ms`)), timeout_ms);
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
          const retry_after = answer.headers['retry-after'];
          resolve({ status: answer.statusCode ?? 0, json: parsed(text), text, retry_after });
        });
      });
      sent.end(body);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
