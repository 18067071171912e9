// Expected refusals of the admin API: status and body. Programs read `code` and `details`.
import type { Refused, RefusalStatus, RefusalTable } from './refused.ts';
import type { FieldError, FieldFault } from '../values/field-fault.ts';
import { AnsweredError } from '../http/answered-error.ts';
import { withFacts } from '../http/refuse.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** In the admin API: the answers of all rooms. */
    refusals: RefusalTable;
  }
}

export const SIGN_IN = 'Sign in, or send "Authorization: Bearer <token>" with a valid admin token.';

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

/** Answered as its room says. */
export const refusalOf = (no: Refused): AnsweredError =>
  new AnsweredError(`refused: ${no.kind}`, (reply) => answered(no, reply.server.refusals).answer(reply));

function answered(no: Refused, table: RefusalTable): Refusal {
  const { kind, ...facts } = no;
  const answer = table[kind];
  if (!answer) throw new TypeError(`no room answers ${kind}`);
  const { code = kind } = answer;
  const details = answer.details?.(no) ?? facts;
  return 'fields' in answer
    ? new Refusal(422, withFacts(answer.fields(no), code, details))
    : new Refusal(answer.status, { error: answer.words(no), code, details });
}
