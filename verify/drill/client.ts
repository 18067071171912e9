// The commands of a drill as requests.
import { ADMIN_TOKEN } from '../kit/canaries.ts';
import { KeptConnections, type Call } from '../kit/kept-connections.ts';
import type { Answer, Request } from '../observer/requests.ts';
import type { Keys } from './setup.ts';

const ANSWER_MS_MAX = 30_000;

export interface ClientOptions {
  keys: Keys;
  connections: number;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #connections: KeptConnections;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = new KeptConnections(ANSWER_MS_MAX, options.connections * 2);
  }

  async send(origin: string, request: Request): Promise<Answer> {
    const { status, text, headers } = await this.#connections.send(origin, this.#callOf(request));
    const request_id = headers['x-request-id'] === undefined ? null : String(headers['x-request-id']);
    return { status, text, request_id, retry_after: headers['retry-after'] ?? null };
  }

  close(): void {
    this.#connections.close();
  }

  #callOf(request: Request): Call {
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const headers = 'channel' in request ? { 'x-api-key': this.#options.keys[request.channel] ?? '' } : admin;
    switch (request.kind) {
      case 'order':
        return { method: 'POST', path: '/api/v1/orders', headers, body: JSON.stringify(request.body) };
      case 'report': {
        const { order_number, status } = request;
        const body = JSON.stringify({ status, tracking_number: `T-${order_number}`, reason: 'drill' });
        const path = `/api/v1/orders/${encodeURIComponent(order_number)}/status`;
        return { method: 'POST', path, headers, body };
      }
      case 'lookup':
        return { method: 'GET', path: `/api/v1/inventory/${encodeURIComponent(request.sku)}`, headers };
      case 'list':
        return { method: 'GET', path: '/api/v1/inventory', headers };
      case 'adjust': {
        const { delta, reason, variant_code } = request;
        const path = `/admin/v1/stock/${variant_code}/adjustments`;
        return { method: 'POST', path, headers, body: JSON.stringify({ delta, reason }) };
      }
      case 'count': {
        const { quantity, expected_quantity, variant_code } = request;
        const body = JSON.stringify({ quantity, expected_quantity, reason: 'counted' });
        return { method: 'PUT', path: `/admin/v1/stock/${variant_code}`, headers, body };
      }
    }
  }
}
