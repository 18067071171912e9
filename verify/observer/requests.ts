// Requests and answers in the words of the observer.
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

/** `channel`: its place among the channels. */
export type Request =
  | { kind: 'order'; channel: number; body: OrderBody }
  | { kind: 'report'; channel: number; order_number: string; status: Status }
  | { kind: 'lookup'; channel: number; sku: string }
  /** `etag`: what it was asked with */
  | { kind: 'list'; channel: number; etag: string | null }
  | { kind: 'adjust'; variant_code: string; delta: number; reason: string }
  /** Compare and set. */
  | { kind: 'count'; variant_code: string; expected_quantity: number; quantity: number };

export interface Answer {
  status: number;
  text: string;
  request_id: string | null;
  retry_after: string | null;
}

export interface Read extends Answer {
  json: unknown;
}

/** What a request came to. */
export type Kind =
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
  /** Such an answer must not be. */
  | 'broken';

/** `unknown`: whether it was carried out cannot be told. */
export const isUnknown = (kind: Kind): boolean =>
  kind === 'turned_away' || kind === 'unanswered' || kind === 'broken';

/** What came of a request, with the words for people. */
export interface Finding {
  kind: Kind;
  words: string;
}

/** Called with the answer, or with null where none came. */
export type Verdict = (answer: Read | null) => Finding;

export function wordsFor(request: Request): string {
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

/** The first words of an answer, for a sentence. */
export const saidBy = (answer: Answer | null): string =>
  answer === null ? '' : `${answer.status} ${answer.text.slice(0, 200)}`;

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
