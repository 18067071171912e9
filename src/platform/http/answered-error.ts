// An error that knows its own answer. Thrown where no answer can be sent, such as in a body parser.
import type { FastifyReply } from 'fastify';

export class AnsweredError extends Error {
  readonly answer: (reply: FastifyReply) => FastifyReply;

  constructor(message: string, answer: (reply: FastifyReply) => FastifyReply) {
    super(message);
    this.name = 'AnsweredError';
    this.answer = answer;
  }
}
