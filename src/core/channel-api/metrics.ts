// Metrics of channels: requests, orders, refusals, dropped observations, and sealed keys.
import { Counter, Gauge, type Registry } from 'prom-client';
import { ChannelCounts } from './channel-counts.ts';

export interface ChannelMetrics {
  /** A request with a valid key. `label`: the channel's label. */
  channelRequest(label: string, status: number): void;
  /** An order was accepted. */
  channelOrder(label: string): void;
  /** A request with a valid key that was refused by its address, rate limit or signature. */
  channelRefusal(code: string): void;
  /** A refused order or late report is not on the worklist because there were too many. */
  observationDropped(): void;
  /** A logged request is not on the list of its channel because there were too many. */
  requestDropped(): void;
  /** Registers the requests that wait for a change, counted at each scrape. */
  watchWaiting(watch: { readonly waiting: number }): void;
}

export function channelMetrics(registry: Registry): ChannelMetrics {
  const registers = [registry];
  const channelCounts = new ChannelCounts(registry);
  const channelRefusals = new Counter({
    name: 'sluice_channel_refusals_total',
    help: 'Requests of channels refused by address, rate limit or signature, by code.',
    labelNames: ['code'],
    registers,
  });
  const observationsDropped = new Counter({
    name: 'sluice_observations_dropped_total',
    help: 'Refused orders and late reports that were dropped because there were too many.',
    registers,
  });
  const requestsDropped = new Counter({
    name: 'sluice_request_log_dropped_total',
    help: 'Requests missing from the request list of their channel: too many, or the database was unavailable.',
    registers,
  });
  return {
    channelRequest: (label, status) => channelCounts.request(label, status),
    channelOrder: (label) => channelCounts.order(label),
    channelRefusal: (code) => channelRefusals.inc({ code }),
    observationDropped: () => observationsDropped.inc(),
    requestDropped: () => requestsDropped.inc(),
    watchWaiting: (watch) =>
      void new Gauge({
        name: 'sluice_waiting_requests',
        help: 'Requests of channels that wait for a change.',
        registers,
        collect() {
          this.set(watch.waiting);
        },
      }),
  };
}
