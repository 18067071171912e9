// Orders and reports by the short way: plain ones, with a key that is known already, of channels that are held to nothing
// more than their key.
import type { IncomingMessage } from 'node:http';
import type { ActiveChannel } from '../../store/active-channels.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Services } from '../services.ts';
import type { PlainAnswer, ShortWay } from '../short-way.ts';
import { bodyTest } from '../validation.ts';
import { prefixFault, takeOrder, takeReport } from './orders.ts';
import type { Answer } from './outcomes.ts';
import { OrderRequest, StatusRequest } from './schemas.ts';

const PREFIX = '/api/v1';
export const ORDERS_ROUTE = '/orders';
export const STATUS_ROUTE = '/orders/:orderNumber/status';
export const ORDERS_PATH = `${PREFIX}${ORDERS_ROUTE}`;
/** Numbers that are the same in a path and out of it. */
const STATUS_PATH = /^\/api\/v1\/orders\/([\w.-]+)\/status$/;

const isOrder = bodyTest(OrderRequest);
const isReport = bodyTest(StatusRequest);

interface PlainRequest {
  route: string;
  key: string;
  channel: ActiveChannel;
  /** null: a new order */
  order_number: string | null;
}

export const channelShortWay = (services: Services): Pick<ShortWay<PlainRequest>, 'recognise' | 'work'> => ({
  recognise: ({ method, url, headers }: IncomingMessage) => {
    if (method !== 'POST' || url === undefined || !url.startsWith(ORDERS_PATH)) return null;
    const order_number = url.length === ORDERS_PATH.length ? null : STATUS_PATH.exec(url)?.[1];
    if (order_number === undefined) return null;
    const key = headers['x-api-key'];
    const channel = typeof key === 'string' ? services.directory.known(key) : undefined;
    if (typeof key !== 'string' || !channel || channel.terms) return null;
    const route = `${PREFIX}${order_number === null ? ORDERS_ROUTE : STATUS_ROUTE}`;
    return { route, key, channel, order_number };
  },
  work: (plain, bytes, requestId) => {
    const answer = workOn(services, plain, bytes, requestId);
    return answer && written(answer);
  },
});

async function written(answer: Promise<Answer>): Promise<PlainAnswer> {
  const { status, body, reason } = await answer;
  return { status, reason, text: JSON.stringify(body) };
}

function workOn(services: Services, plain: PlainRequest, bytes: Buffer, id: string): Promise<Answer> | null {
  const { key, channel, order_number } = plain;
  // The body may have been on its way for long (contract 5.2a); the framework judges what has changed meanwhile.
  if (services.directory.known(key) !== channel) return null;
  let body: unknown;
  try {
    body = parseJsonBody(bytes);
  } catch {
    return null;
  }
  if (order_number === null) {
    if (!isOrder(body) || prefixFault(channel, body)) return null;
    return takeOrder(services, { channel, request_id: id, body });
  }
  if (!isReport(body)) return null;
  return takeReport(services, { channel_id: channel.id, order_number, request_id: id, body });
}
