// An import that failed as expected, whatever it tried.
import { AnsweredError } from '../../platform/http/answered-error.ts';

/** `message` is for the terminal, `body` for the answer 409. */
export class ImportFailed extends AnsweredError {
  constructor(message: string, body: { error: string; code: string }) {
    super(message, (reply) => reply.code(409).send(body));
  }
}
