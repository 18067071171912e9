// The response to an error that a handler or a hook throws.
import type { FastifyError, FastifyReply } from 'fastify';
import { CommitUnknown, DatabaseUnavailable } from '../database/failures.ts';
import type { HealthCheck } from '../database/health.ts';
import type { HttpMetrics } from '../metrics/http.ts';
import { Overloaded } from '../queues/coalescer.ts';
import { ClientGone } from '../queues/turns.ts';
import { BodyError } from '../schema/json-body.ts';
import { fieldErrorsOf } from '../schema/validation.ts';
import type { FieldFault } from '../values/field-fault.ts';
import { AnsweredError } from './answered-error.ts';
import type { RefusalLog } from './refusal-log.ts';
import { refuse, refuseForm } from './refuse.ts';
import { RETRY_AFTER_SECONDS } from './load-shedding.ts';

const NOT_STORED = 'The service cannot take this request right now. Please send it again.';
const MAYBE_STORED =
  'The connection to the database was lost, and it is unknown whether the change was stored. Check before you send it again.';
/** The same request may succeed soon. */
const NOT_NOW = [Overloaded, DatabaseUnavailable];

interface Context {
  health: Pick<HealthCheck, 'note' | 'stateFor'>;
  metrics: Pick<HttpMetrics, 'refused'>;
  refusals: RefusalLog;
}

export function answerError(
  error: FastifyError | AnsweredError,
  requestId: string,
  reply: FastifyReply,
  context: Context,
): FastifyReply {
  if (error instanceof AnsweredError) return error.answer(reply);
  if (error instanceof ClientGone) return reply.hijack();
  if (error.validation) return refuseForm(reply, fieldErrorsOf(error.validation));
  // Fastify would close the connection after every body it cannot read: pipelined requests would be executed without a
  // response, and a client that is still sending could lose its response to a reset.
  reply.removeHeader('connection');
  const refuseBody = (fault: FieldFault): FastifyReply => refuseForm(reply, [{ field: 'body', fault }]);
  if (error instanceof BodyError) return refuseBody(error.fault);
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = reply.request.routeOptions;
    return refuseBody({ kind: 'body_too_large', bytes_max: bodyLimit });
  }
  if (NOT_NOW.some((kind) => error instanceof kind)) return refuseForNow(error, reply, context);
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return refuseBody({ kind: 'unreadable' });
  // A client that closes the connection during a transfer is not an error of the service.
  if (reply.request.socket.destroyed)
    reply.log.info({ request_id: requestId, code: error.code }, 'the client closed the connection');
  else reply.log.error({ request_id: requestId, err: error }, 'request failed');
  return refuse(reply, { status: 500, reason: 'internal', error: 'Something went wrong on our side.' });
}

function refuseForNow(
  error: Error,
  reply: FastifyReply,
  { health, metrics, refusals }: Context,
): FastifyReply {
  const unavailable = error instanceof DatabaseUnavailable;
  if (unavailable) health.note(error.cause);
  refusals.refused(unavailable ? `${error.name}: ${health.stateFor(error)}` : error.name);
  metrics.refused(unavailable ? 'database' : 'overloaded');
  reply.header('retry-after', RETRY_AFTER_SECONDS);
  const reason = unavailable ? 'unavailable' : 'overloaded';
  const details = { retry_after_seconds: RETRY_AFTER_SECONDS };
  return error instanceof CommitUnknown
    ? refuse(reply, { status: 503, reason, error: MAYBE_STORED, code: 'commit_unknown', details })
    : refuse(reply, { status: 503, reason, error: NOT_STORED, details });
}
