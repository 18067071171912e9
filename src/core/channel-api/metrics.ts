// Metrics of channels: requests, orders, refusals.
import { Counter, Gauge, type Registry } from 'prom-client';
import { ChannelCounts } from './channel-counts.ts';

export interface ChannelMetrics {
  /** A request with a valid key. `label`: the channel's label. */
  channelRequest(label: string, status: number): void;
  /** An order was accepted. */
  channelOrder(label: string): void;
  /** A request with a valid key that was refused by its address, rate limit or signature. */
  channelRefusal(code: string): void;
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
  return {
    channelRequest: (label, status) => channelCounts.request(label, status),
    channelOrder: (label) => channelCounts.order(label),
    channelRefusal: (code) => channelRefusals.inc({ code }),
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
