// Why no exchange rates could be collected, in English: a sentence for the operator.
import type { SourceFailure, SourceFault } from './quotes.ts';
import { channelFailureText } from '../../platform/outbound/failure-words.ts';
import { say, type WordsFor } from '../../platform/values/say.ts';

const FAULTS: WordsFor<SourceFault> = {
  not_xml: () => 'it is not the XML that is documented',
  not_json: () => 'it is not JSON in UTF-8',
  wrong_shape: () => 'it does not have the documented form',
  base_missing: () => 'it has no rate for KRW',
  not_a_rate: ({ currency_code }) => `the number for ${currency_code} is not a rate`,
  key_refused: () => 'the key was refused',
  limit_reached: () => 'the limit of requests for today is reached',
  source_error: ({ result }) => `it reports the error ${result}`,
  nothing_published: ({ days }) => `there are no rates for today and the ${days} days before`,
};

export function sourceFailureText(failure: SourceFailure): string {
  if (failure.reason === 'key_closed')
    return 'The stored key is sealed with another secret: enter it again, or start with the right secret.';
  if (failure.reason !== 'unusable') return channelFailureText(failure);
  return `The answer of ${failure.host} cannot be used: ${say(FAULTS, failure.fault)}.`;
}
