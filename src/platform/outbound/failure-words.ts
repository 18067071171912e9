// Why a channel gave no usable answer, in English: a sentence for the administrator.
import type { FailureFacts, ShapeFault } from './failure.ts';
import { faultText } from '../values/field-fault-words.ts';

const NOT_PUBLIC =
  'is not a public address (SLUICE_ALLOW_PRIVATE_CHANNEL_URLS=1 lets the call reach private ones)';

export function channelFailureText(failure: FailureFacts): string {
  switch (failure.reason) {
    case 'bad_url':
      return failure.part === 'api_url'
        ? `The channel's api_url ${faultText(failure.fault)}.`
        : 'The product code cannot be used in a URL.';
    case 'address_not_allowed':
      return failure.address === null
        ? `${failure.host} ${NOT_PUBLIC}.`
        : `${failure.host} resolves to ${failure.address}, which ${NOT_PUBLIC}.`;
    case 'timeout':
      return failure.timeout_ms === null
        ? `The connection to ${failure.host} timed out.`
        : `${failure.host} did not answer completely within ${failure.timeout_ms / 1000} s.`;
    case 'refused':
      return `${failure.host} refused the connection.`;
    case 'unreachable':
      return unreachable(failure);
    case 'tls':
      return `No secure connection to ${failure.host} could be made (${failure.error_code}).`;
    case 'redirect':
      return `${failure.host} answered with a redirect (status ${failure.status}), which is not followed.`;
    case 'http_status':
      return `${failure.host} answered with status ${failure.status}${quoted(failure.said)}.`;
    case 'too_large':
      return failure.part === 'headers'
        ? `The headers of ${failure.host} are too large.`
        : `The answer of ${failure.host} is larger than ${failure.bytes_max / 1024 / 1024} MiB, or comes in too many pieces.`;
    case 'not_json':
      return failure.cause === 'body'
        ? `The answer of ${failure.host} is not JSON in UTF-8.`
        : `${failure.host} answered with a content encoding, although none was asked for.`;
    case 'wrong_shape':
      return `The answer of ${failure.host} cannot be used: ${shapeText(failure.field, failure.fault)}.`;
    case 'not_found':
      return `${failure.host} has no product ${JSON.stringify(failure.usercode)}${quoted(failure.said)}.`;
  }
}

type Unreachable = Extract<FailureFacts, { reason: 'unreachable' }>;

function unreachable({ host, cause, error_code }: Unreachable): string {
  const texts: Record<Unreachable['cause'], string> = {
    name_unknown: `The name ${host} does not exist.`,
    closed: `${host} closed the connection without an answer.`,
    broke_off: `${host} closed the connection before the response was complete.`,
    not_http: `${host} does not answer in HTTP (${error_code}).`,
    network: `${host} cannot be reached (${error_code}).`,
  };
  return texts[cause];
}

const quoted = (said: string | null): string =>
  said === null ? '' : `; its message: ${JSON.stringify(said)}`;

const TYPES = {
  string: 'text',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

function shapeText(field: string | null, fault: ShapeFault): string {
  if (fault.kind === 'repeats_key') return "it repeats the channel's key";
  if (field === null) return 'the answer must be a JSON object';
  return `${field} ${valueText(fault)}`;
}

function valueText(fault: Exclude<ShapeFault, { kind: 'repeats_key' }>): string {
  switch (fault.kind) {
    case 'required':
      return 'is missing';
    case 'wrong_type':
      return `must be ${fault.types.map((type) => TYPES[type]).join(' or ')}`;
    case 'null_character':
      return 'must not contain the character U+0000';
    case 'lone_surrogate':
      return 'must not contain half of a surrogate pair';
    case 'too_long':
      return `must be at most ${fault.characters_max} characters`;
    case 'too_many':
      return `must have at most ${fault.elements_max} elements`;
  }
}
