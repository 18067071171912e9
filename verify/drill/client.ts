// The commands of a drill as requests.
import { KeptConnections, type Call } from '../kit/kept-connections.ts';
import { RECIPIENT, type Answer } from './answers.ts';
import type { Command } from './ledger.ts';
import type { Keys } from './setup.ts';

export interface ClientOptions {
  keys: Keys;
  admin_token: string;
  connections: number;
  /** Longer than the service may take, so that a slow answer is not taken for none. */
  timeout_ms: number;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #connections: KeptConnections;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = new KeptConnections(options.timeout_ms, options.connections * 2);
  }

  send(origin: string, command: Command): Promise<Answer> {
    return this.#call(origin, this.#callOf(command));
  }

  get(origin: string, channelId: number, path: string): Promise<Answer> {
    return this.#call(origin, { method: 'GET', path: `/api/v1${path}`, headers: this.#key(channelId) });
  }

  close(): void {
    this.#connections.close();
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

  async #call(origin: string, call: Call): Promise<Answer> {
    const { status, text, headers } = await this.#connections.send(origin, call);
    return { status, json: parsed(text), text, retry_after: headers['retry-after'] };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
