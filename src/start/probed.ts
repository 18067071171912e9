// What the probes show of the service, and who may read its metrics.
import { hasToken } from '../platform/accounts/auth.ts';
import { throttleGuessing } from '../platform/accounts/wrong-credential-answer.ts';
import type { Admit, Probed } from '../platform/http/probes.ts';
import { mergedMetrics } from '../platform/metrics/merged.ts';
import { METRICS, NO_OTHERS } from '../platform/supervisor/other-workers.ts';
import type { Services } from './services.ts';

export const probedOf = ({ drain, health, metrics, others }: Services): Probed => ({
  drain,
  health,
  registry: {
    contentType: metrics.registry.contentType,
    async metrics() {
      if (others === NO_OTHERS) return metrics.registry.metrics();
      const own = await metrics.snapshot();
      return mergedMetrics([own, ...(await others.ask(METRICS, own))]);
    },
  },
});

const METRICS_REFUSED = {
  error: 'Metrics need "Authorization: Bearer <token>" with a valid admin token, or SLUICE_INTERNAL_PORT.',
};

export const admitToMetrics =
  (services: Services): Admit =>
  async (request, reply) => {
    if (await hasToken(services, request)) return true;
    const isGuess = request.headers.authorization !== undefined;
    const isThrottled = isGuess && throttleGuessing(services, request, reply) !== null;
    if (!isThrottled) void reply.code(401).header('www-authenticate', 'Bearer').send(METRICS_REFUSED);
    return false;
  };
