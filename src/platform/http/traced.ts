// Spans of requests, if traces are configured. Probes, the console's files and the documentation are not traced.
import type { FastifyInstance } from 'fastify';
import type { Command, Outcome } from '../../core/rules/commands.ts';
import type { Span } from '../tracing/spans.ts';
import type { Traces } from '../tracing/traces.ts';
import { CHANNEL_API_PATH } from '../../core/channel-api/paths.ts';
import { ADMIN_API_PATH } from './refuse.ts';
import type { Gate } from '../../core/gate/gate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: not traced. */
    span: Span | null;
  }
}

/** Must be called before other hooks are added, so that the time they take is part of the span. */
export function traceRequests(app: FastifyInstance, traces: Traces | undefined): void {
  app.decorateRequest('span', null);
  if (!traces) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, headers } = request;
    if (url.startsWith(CHANNEL_API_PATH) || url.startsWith(ADMIN_API_PATH))
      request.span = traces.begin(headers['traceparent']);
    done();
  });
  app.addHook('onResponse', ({ span, id, method, routeOptions, channel }, { statusCode }, done) => {
    const { url: route = 'unknown' } = routeOptions;
    if (span) traces.end(span, { id, method, route, status: statusCode, channel_id: channel?.id ?? null });
    done();
  });
}

/** What operations with commands for the gate get. */
export interface Gated {
  readonly gate: Gate;
  /** undefined: nothing is traced. */
  readonly traces: Traces | undefined;
}

/** Submits a command to the gate and links it to the span of its request. */
export function submit(
  { gate, traces }: Gated,
  command: Command,
  { span }: { span: Span | null },
): Promise<Outcome> {
  if (traces && span) traces.submitted(command, span);
  return gate.submit(command);
}
