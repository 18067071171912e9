// Deprecated operations: a route with `config: { deprecation }` is marked in OpenAPI, and each of its responses carries
// `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the changelog for channels.
import type { FastifyInstance } from 'fastify';

interface Deprecation {
  since: Date;
  /** The operation works until then, at least twelve months after `since` (docs/channels/compatibility.md). */
  until: Date;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation;
  }
}

const NOTICE_MONTHS_MIN = 12;
const CHANGELOG = '/docs/channels/compatibility#changelog';

function deprecationHeaders({ since, until }: Deprecation): Record<string, string> {
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS_MIN);
  if (!(until >= earliest))
    throw new RangeError(`A deprecation needs ${NOTICE_MONTHS_MIN} months of notice.`);
  return {
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    sunset: until.toUTCString(),
    link: `<${CHANGELOG}>; rel="deprecation"; type="text/html"`,
  };
}

/** Applies to routes registered afterwards. Routes that are not deprecated get no hook. */
export function announceDeprecations(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const deprecation = route.config?.deprecation;
    if (!deprecation) return;
    const headers = deprecationHeaders(deprecation);
    route.schema = { ...route.schema, deprecated: true };
    route.onSend = [
      (_request, reply, payload, done) => {
        reply.headers(headers);
        done(null, payload);
      },
      ...[route.onSend ?? []].flat(),
    ];
  });
}
