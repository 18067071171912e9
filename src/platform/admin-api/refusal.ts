// Expected refusals of the admin API: status and body. Programs read `code` and `details`.
import type { Refused } from './refused.ts';
import type { FieldError, FieldFault } from '../values/field-fault.ts';
import { AnsweredError } from '../http/answered-error.ts';
import { withFacts } from '../http/refuse.ts';
import {
  REFUSAL_ANSWERS,
  SIGN_IN,
  type ListRefusal,
  type RefusalAnswer,
  type RefusalKind,
  type RefusalStatus,
} from '../../start/refusal-answers.ts';

export const CREDENTIALS_REQUIRED = { error: SIGN_IN, code: 'credentials_required' };
/** The credentials were sent, but are not valid or no longer valid. */
export const CREDENTIALS_INVALID = { error: SIGN_IN, code: 'credentials_invalid' };

export class Refusal extends AnsweredError {
  readonly status: RefusalStatus;
  readonly body: object;

  constructor(status: RefusalStatus, body: object) {
    super(`refused with ${status}`, (reply) => {
      if (status === 401) reply.header('www-authenticate', 'Bearer');
      return reply.code(status).send(body);
    });
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }

  /** The credentials were valid when the request began and have been revoked since. */
  static unauthorized(): Refusal {
    return new Refusal(401, CREDENTIALS_INVALID);
  }

  /** A field that the schema cannot check: the validation shape. */
  static invalid(field: string, fault: FieldFault): Refusal {
    return Refusal.invalidFields([{ field, fault }]);
  }

  static invalidFields(found: readonly FieldError[]): Refusal {
    return new Refusal(422, withFacts(found));
  }
}

/** Codes on the wire of refusals by the back office. */
export const REFUSAL_CODES: readonly string[] = Object.entries(REFUSAL_ANSWERS).map(
  ([kind, { code = kind }]) => code,
);

/** The invalid field and its fault, for a response in the validation shape. */
const FIELDS: Record<ListRefusal['kind'], (at: number) => FieldError> = {
  options_unknown: (at) => ({ field: `option_codes.${at}`, fault: { kind: 'option_unknown' } }),
  variant_codes_repeated: (at) => ({
    field: `variants.${at}.code`,
    fault: { kind: 'variant_code_repeated' },
  }),
  order_lines_unknown: (at) => ({ field: `items.${at}.line`, fault: { kind: 'order_line_unknown' } }),
  skus_repeated: (at) => ({ field: `mappings.${at}.sku`, fault: { kind: 'sku_repeated' } }),
  variants_unknown: (at) => ({ field: `mappings.${at}.variant_code`, fault: { kind: 'variant_unknown' } }),
};

export function refusalOf(no: Refused): Refusal {
  if (no.kind === 'courier_unknown') return Refusal.invalid('courier_code', no);
  if ('positions' in no) {
    const { kind, positions } = no;
    return new Refusal(422, withFacts(positions.map(FIELDS[kind]), kind, { positions }));
  }
  const { kind, ...facts } = no;
  // oxlint-disable-next-line typescript/consistent-type-assertions -- TypeScript cannot tie the entry of the table to the facts of the same kind.
  const answer = REFUSAL_ANSWERS[kind] as RefusalAnswer<RefusalKind>;
  const { status, code = kind, words, details = () => facts } = answer;
  return new Refusal(status, { error: words(no), code, details: details(no) });
}
