// Paths of the channel API that the transport needs before routing.
import type { IncomingMessage } from 'node:http';

export const CHANNEL_API_PATH = '/api/v1';
export const ORDERS_ROUTE = '/orders';
/** Prefix of all paths that lead to the gate: orders and reports. */
export const ORDERS_PATH = `${CHANNEL_API_PATH}${ORDERS_ROUTE}`;

export const isForTheGate = ({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean =>
  method === 'POST' && url?.startsWith(ORDERS_PATH) === true;
