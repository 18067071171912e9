// Requests, answers and findings of the observer.
import type { Status } from './order-states.ts';

export interface OrderLine {
  sku: string;
  quantity: number;
  unit_price: number;
}

export interface OrderBody {
  order_number: string;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  status: 0 | 1;
  is_backorder: boolean;
  items: OrderLine[];
}

/** `channel`: the index of the channel. */
export type ServiceRequest =
  | { kind: 'order'; channel: number; body: OrderBody }
  | { kind: 'report'; channel: number; order_number: string; status: Status }
  | { kind: 'lookup'; channel: number; sku: string }
  /** `etag`: sent as If-None-Match */
  | { kind: 'list'; channel: number; etag: string | null }
  | { kind: 'adjust'; variant_code: string; delta: number; reason: string }
  /** Compare and set. */
  | { kind: 'count'; variant_code: string; expected_quantity: number; quantity: number };

export interface ServiceAnswer {
  status: number;
  text: string;
  request_id: string | null;
  retry_after: string | null;
}

export interface ReadAnswer extends ServiceAnswer {
  json: unknown;
}

/** The outcome of a request. */
export type FindingKind =
  | 'accepted'
  | 'resent'
  | 'refused'
  | 'paid'
  | 'preparing'
  | 'shipped'
  | 'cancelled'
  | 'repeated'
  | 'too_late'
  | 'short'
  | 'looked_up'
  | 'listed'
  | 'unchanged'
  | 'not_found'
  | 'elsewhere'
  | 'adjusted'
  | 'counted'
  | 'stale'
  | 'turned_away'
  | 'unanswered'
  /** An answer that violates the contract. */
  | 'broken';

/** `unknown`: it cannot be determined whether the request was executed. */
export const isUnknown = (kind: FindingKind): boolean =>
  kind === 'turned_away' || kind === 'unanswered' || kind === 'broken';

/** The outcome of a request, with a description. */
export interface Finding {
  kind: FindingKind;
  words: string;
}

/** Called with the answer, unless none arrived or the request was turned away. */
export type Judge = (answer: ReadAnswer) => Finding;

export function requestWords(request: ServiceRequest): string {
  switch (request.kind) {
    case 'order':
      return `order ${request.body.order_number}`;
    case 'report':
      return `the report ${request.status} on order ${request.order_number}`;
    case 'lookup':
      return `the lookup of ${request.sku}`;
    case 'list':
      return 'the stock list';
    case 'adjust':
      return `the adjustment "${request.reason}" of ${request.variant_code}`;
    case 'count':
      return `the count of ${request.variant_code} from ${request.expected_quantity} to ${request.quantity}`;
  }
}

/** The beginning of an answer, for messages. */
export const saidBy = (answer: ServiceAnswer): string => `${answer.status} ${answer.text.slice(0, 200)}`;

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
