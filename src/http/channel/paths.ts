// Where the channel API is, for the parts of the transport that must know before a request is routed.
export const CHANNEL_API_PATH = '/api/v1';
export const ORDERS_ROUTE = '/orders';
/** Orders and reports: every path that leads to the gate begins with it. */
export const ORDERS_PATH = `${CHANNEL_API_PATH}${ORDERS_ROUTE}`;
