// The commands of a drill as requests.
import { ADMIN_TOKEN } from '../kit/canaries.ts';
import type { ServiceRequest } from '../observer/requests.ts';
import type { Keys } from './setup.ts';

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: object;
}

export function callOf(request: ServiceRequest, keys: Keys): Call {
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const headers = 'channel' in request ? { 'x-api-key': keys[request.channel] ?? '' } : admin;
  switch (request.kind) {
    case 'order':
      return { method: 'POST', path: '/api/v1/orders', headers, body: request.body };
    case 'report': {
      const { order_number, status } = request;
      const body = { status, tracking_number: `T-${order_number}`, reason: 'drill' };
      return {
        method: 'POST',
        path: `/api/v1/orders/${encodeURIComponent(order_number)}/status`,
        headers,
        body,
      };
    }
    case 'lookup':
      return { method: 'GET', path: `/api/v1/inventory/${encodeURIComponent(request.sku)}`, headers };
    case 'list':
      return { method: 'GET', path: '/api/v1/inventory', headers };
    case 'adjust': {
      const { delta, reason, variant_code } = request;
      return {
        method: 'POST',
        path: `/admin/v1/stock/${variant_code}/adjustments`,
        headers,
        body: { delta, reason },
      };
    }
    case 'count': {
      const { quantity, expected_quantity, variant_code } = request;
      const body = { quantity, expected_quantity, reason: 'counted' };
      return { method: 'PUT', path: `/admin/v1/stock/${variant_code}`, headers, body };
    }
  }
}
