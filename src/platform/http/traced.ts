// Spans of requests, if traces are configured. Probes, the console's files and the documentation are not traced.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, SpanAttributes } from '../tracing/spans.ts';
import type { Traces } from '../tracing/traces.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: not traced. */
    span: Span | null;
  }
}

interface Traced {
  /** Prefixes of the paths that are traced. */
  paths: readonly string[];
  /** What a request says about itself after its response. */
  attributesOf: (request: FastifyRequest) => SpanAttributes;
}

/** Must be called before other hooks are added, so that the time they take is part of the span. */
export function traceRequests(
  app: FastifyInstance,
  traces: Traces | undefined,
  { paths, attributesOf }: Traced,
): void {
  app.decorateRequest('span', null);
  if (!traces) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, headers } = request;
    if (paths.some((path) => url.startsWith(path))) request.span = traces.begin(headers['traceparent']);
    done();
  });
  app.addHook('onResponse', (request, { statusCode: status }, done) => {
    const { span, id, method, routeOptions } = request;
    const { url: route = 'unknown' } = routeOptions;
    if (span) traces.end(span, { id, method, route, status }, attributesOf(request));
    done();
  });
}
