// What is refused about product information from a channel.
import { fieldRefusal, refusal } from '../../platform/admin-api/refused.ts';
import type { FailureFacts } from '../../platform/outbound/failure.ts';
import { channelFailureText } from '../../platform/outbound/failure-words.ts';
import { firstAndCount } from '../../platform/http/refuse.ts';
import type { Violation } from '../rules/set-product-rules.ts';
import { violationFacts, violationText } from './violation-words.ts';

const ALL_HIDDEN = 'All options of this product are hidden: name those to apply in option_codes.';

export const REGISTRATION_REFUSALS = {
  /** The channel has no URL for product information. */
  api_url_missing: refusal<{ channel_id: number }>({
    status: 422,
    words: () => 'This channel has no api_url: register the address of its product information first.',
  }),
  /** The channel's key is sealed with another secret. */
  key_closed: refusal<{ channel_id: number }>({
    status: 422,
    words: () =>
      'The key of this channel is sealed with another secret: start the service with the right secret, or create a new key.',
  }),
  /** The request for product information failed. */
  channel_failed: refusal<{ failure: Exclude<FailureFacts, { reason: 'not_found' }> }>({
    status: 422,
    words: ({ failure }) => channelFailureText(failure),
    details: ({ failure }) => failure,
  }),
  product_not_found: refusal<{ failure: Extract<FailureFacts, { reason: 'not_found' }> }>({
    status: 422,
    words: ({ failure }) => channelFailureText(failure),
    details: ({ failure }) => ({ ...failure, errors: [channelFailureText(failure)] }),
  }),
  /** The channel's options are invalid. */
  option_configuration: refusal<{ violations: readonly Violation[] }>({
    status: 422,
    words: ({ violations }) => firstAndCount(violations.map(violationText)),
    details: ({ violations }) => ({
      errors: violations.map(violationText),
      violations: violations.map(violationFacts),
    }),
  }),
  /** All options of the product are hidden, and none was selected. */
  nothing_to_apply: refusal({
    status: 422,
    words: () => ALL_HIDDEN,
    details: () => ({ errors: [ALL_HIDDEN] }),
  }),
  options_unknown: fieldRefusal<{ positions: number[] }>({
    fields: ({ positions }) =>
      positions.map((at) => ({ field: `option_codes.${at}`, fault: { kind: 'option_unknown' } })),
  }),
};

type Own = typeof REGISTRATION_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
