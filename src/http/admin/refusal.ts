// An expected "no" of the admin API, thrown from wherever it is noticed: it also rolls the transaction back.
import { failureAt, withMessage } from '../validation.ts';

export const UNAUTHORIZED = {
  error: 'Sign in, or send "Authorization: Bearer <token>" with a valid admin token.',
};

export class Refusal extends Error {
  readonly status: 401 | 404 | 409 | 422;
  readonly body: object;

  private constructor(status: 401 | 404 | 409 | 422, body: object) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }

  /** The credentials were valid when the request began, and are not any more. */
  static unauthorized(): Refusal {
    return new Refusal(401, UNAUTHORIZED);
  }

  static notFound(what: string): Refusal {
    return new Refusal(404, { error: `${what} was not found.` });
  }

  static conflict(text: string, more: object = {}): Refusal {
    return new Refusal(409, { error: text, ...more });
  }

  /** A business rule: the single-key shape. */
  static rule(text: string, more: object = {}): Refusal {
    return new Refusal(422, { error: text, ...more });
  }

  /** A field that no schema could judge: the validation shape. */
  static invalid(field: string, text: string): Refusal {
    return new Refusal(422, failureAt(field, text));
  }

  static invalidFields(errors: Record<string, string[]>): Refusal {
    return new Refusal(422, withMessage(errors));
  }
}
