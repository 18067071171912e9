// Metrics of what is not kept for the operators because there was too much.
import { Counter, type Registry } from 'prom-client';

export const observationMetrics = (registry: Registry) => ({
  /** Refused orders and late reports that are not on their worklist. */
  observationsDropped: new Counter({
    name: 'sluice_observations_dropped_total',
    help: 'Refused orders and late reports that were dropped because there were too many.',
    registers: [registry],
  }),
  /** Logged requests that are not on the list of their channel. */
  requestsDropped: new Counter({
    name: 'sluice_request_log_dropped_total',
    help: 'Requests missing from the request list of their channel: too many, or the database was unavailable.',
    registers: [registry],
  }),
});
