// The values of the header `Sluice-Error`, which every refusal of the channel API carries (contract 10.2). Bodies have
// the shapes of contract 7.1.
import type { FastifyReply } from 'fastify';
import { setReason, type TransportReason } from '../../platform/http/reason.ts';

const KINDS_OF_REFUSAL = {
  key_required: 'no API key',
  key_invalid: 'an unknown key, or one of an inactive channel',
  signature_missing: 'this channel must sign its requests',
  signature_invalid: 'the signature does not fit the request',
  signature_expired: 'the timestamp of the signature is too far away',
  signature_unchecked: 'the signature cannot be checked at the moment',
  rate_limited: 'more requests than the channel may send',
  validation: 'the request has the wrong form; see `errors`',
  not_found: 'nothing at this path',
  sku_unmapped: 'the SKU has no product in the mapping of the channel',
  stock_missing: 'the SKU has no stock record yet',
  stock_insufficient: 'a normal order for more than is available',
  quota_insufficient: 'a backorder for more than the quota has left',
  limit_exceeded: 'more than a limit of the channel allows',
  order_number_taken: 'the order number cannot be used by this channel',
  order_unknown: 'the channel has no order of this number',
  invalid_transition: 'this change of status is not allowed; final',
  insufficient_stock: 'not enough physical stock to ship; may succeed later',
  request_timeout: 'the request did not arrive in time',
  overloaded: 'more work than the service can take; send it again',
  unavailable: 'the database is unavailable; send it again',
  internal: 'a fault of the service',
} satisfies Record<TransportReason, string> & Record<string, string>;

export type Reason = keyof typeof KINDS_OF_REFUSAL;
export const REASONS: readonly string[] = Object.keys(KINDS_OF_REFUSAL);

export const REASONS_TEXT = Object.entries(KINDS_OF_REFUSAL)
  .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
  .join('; ');

export const nameReason: (reply: FastifyReply, reason: Reason) => FastifyReply = setReason;
