// Examples in the channel API's document: a request and every response of each operation, with the data of docs/channels.
import type { OperationExamples } from '../../platform/docs/document.ts';

const LOOKED_UP = { sku: 'SHOP-MUG', available: 100, reserve_remaining: 0 };
const ROW = {
  sku: 'SHOP-MUG',
  product_code: 'MUG-L',
  product_name: 'Blue mug',
  quantity: 100,
  allocated: 0,
  available: 100,
  reserve_remaining: 0,
};
const TOKEN = 'MTAwMjoxMDAyOg';
const ORDER_NUMBER = 'SHOP-1001';

const order = (status: number): object => ({
  data: {
    id: 1,
    order_number: ORDER_NUMBER,
    status,
    total_amount: '30000.00',
    recipient_name: 'Kim Minji',
    items: [{ product_code: 'MUG', product_name: 'Blue mug', quantity: 2, unit_price: '15000.00' }],
    created_at: '2026-11-15T09:30:00+09:00',
  },
});

const invalid = (field: string, text: string): object => ({ message: text, errors: { [field]: [text] } });
const INVALID_LIMIT = { limit: invalid('limit', 'limit must be at least 1.') };
const UNMAPPED = { error: 'SKU SHOP-NONE is not mapped to this channel.' };
const UNKNOWN_ORDER = { unknown: { error: 'Order SHOP-1001 was not found.' } };
const INVALID_PATH = {
  path: invalid('path', 'The path is not valid percent-encoded UTF-8.'),
};

/** Responses that every operation has. */
const COMMON: OperationExamples['answers'] = {
  401: {
    key_required: { error: 'An API key is required in the header X-Api-Key.' },
    key_invalid: { error: 'The API key is not valid.' },
    signature_missing: {
      error: 'This request must be signed: send X-Sluice-Timestamp and X-Sluice-Signature.',
      code: 'signature_missing',
    },
  },
  408: { request_timeout: { error: 'The request did not arrive in time. Please send it again.' } },
  429: {
    rate_limited: {
      error: 'Too many requests: wait for as long as Retry-After says.',
      code: 'rate_limited',
    },
  },
  500: { internal: { error: 'Something went wrong on our side.' } },
  503: {
    unavailable: { error: 'The service cannot take this request right now. Please send it again.' },
    signature_unchecked: {
      error: 'The service cannot check the signature right now. Please send the request again.',
    },
  },
};

const EXAMPLES: Record<string, OperationExamples> = {
  'get /inventory': {
    parameters: { limit: 1000, cursor: 'U0hPUC1NVUc', changes_since: TOKEN, wait: 25 },
    answers: {
      200: {
        list: { data: [ROW] },
        page: { data: [ROW], next_cursor: null, changes_since: TOKEN },
        changes: {
          data: [{ ...ROW, available: 98 }],
          removed: [],
          changes_since: TOKEN,
          is_complete: false,
          has_more: false,
        },
      },
      422: INVALID_LIMIT,
    },
  },
  'post /inventory/lookup': {
    request: { skus: ['SHOP-MUG', 'SHOP-NONE'] },
    answers: {
      200: { found: { data: [LOOKED_UP], unknown: ['SHOP-NONE'] } },
      422: { skus: invalid('skus', 'skus must have at least 1 element.') },
    },
  },
  'get /inventory/{sku}': {
    parameters: { sku: 'SHOP-MUG' },
    answers: { 200: { found: LOOKED_UP }, 404: { sku_unmapped: UNMAPPED }, 422: INVALID_PATH },
  },
  'post /orders': {
    request: {
      order_number: ORDER_NUMBER,
      status: 0,
      recipient_name: 'Kim Minji',
      recipient_phone: '010-1234-5678',
      shipping_address: '12 Teheran-ro, Gangnam-gu, Seoul',
      items: [{ sku: 'SHOP-MUG', quantity: 2, unit_price: 15000 }],
    },
    answers: {
      200: { resent: order(0) },
      201: { taken: order(0) },
      422: {
        validation: invalid('order_number', 'order_number must not be blank.'),
        sku_unmapped: { error: 'SKU SHOP-NONE is not mapped to a product.' },
        stock_insufficient: {
          error: 'Not enough stock for SKU SHOP-MUG: requested 101, available 100.',
        },
      },
    },
  },
  'get /orders': {
    parameters: { changes_since: 'now', limit: 100, wait: 25 },
    answers: {
      200: {
        shipped: {
          changes: [
            {
              id: 1,
              order_number: ORDER_NUMBER,
              status: 3,
              tracking_number: '6012-3344',
              courier_code: 'CJ',
              courier_name: 'CJ Logistics',
              cancel_reason: null,
              changed_at: '2026-11-15T17:05:00+09:00',
            },
          ],
          changes_since: TOKEN,
          has_more: false,
        },
      },
      422: { changes_since: invalid('changes_since', 'changes_since is required.') },
    },
  },
  'get /orders/{orderNumber}': {
    parameters: { orderNumber: ORDER_NUMBER },
    answers: { 200: { order: order(1) }, 404: UNKNOWN_ORDER, 422: INVALID_PATH },
  },
  'post /orders/{orderNumber}/status': {
    parameters: { orderNumber: ORDER_NUMBER },
    request: { status: 3, tracking_number: '6012-3344', courier_code: 'CJ' },
    answers: {
      200: { shipped: order(3) },
      404: UNKNOWN_ORDER,
      409: {
        invalid_transition: {
          error: 'An order in status 3 cannot move to status 1.',
          code: 'invalid_transition',
          current_status: 3,
          requested_status: 1,
        },
        insufficient_stock: {
          error: 'Not enough physical stock to ship SKU SHOP-TEA: available 3, requested 4.',
          code: 'insufficient_stock',
          current_status: 1,
          requested_status: 3,
        },
      },
      422: { tracking_number: invalid('tracking_number', 'tracking_number is required.') },
    },
  },
};

export function examplesFor(operation: string): OperationExamples | null {
  const own = EXAMPLES[operation];
  return own ? { ...own, answers: { ...COMMON, ...own.answers } } : null;
}
