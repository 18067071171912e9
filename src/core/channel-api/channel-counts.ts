// Requests and orders by channel, for Prometheus. A request costs a lookup and an addition; counters are filled at a
// scrape.
import { Counter, type Registry } from 'prom-client';
import { CHANNEL_LABELS_MAX, OTHER_CHANNELS } from '../directory/labels-rules.ts';

const OUTCOMES = ['ok', 'refused', 'limited', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

interface Counts extends Record<Outcome, number> {
  orders: number;
}

/** 429 has its own outcome, because its cause is the number of requests and not the request itself. */
const outcomeOf = (status: number): Outcome => {
  if (status < 400) return 'ok';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
};

export class ChannelCounts {
  readonly #labelsMax: number;
  readonly #counts = new Map<string, Counts>();

  constructor(registry: Registry, labelsMax = CHANNEL_LABELS_MAX) {
    this.#labelsMax = labelsMax;
    const registers = [registry];
    const counts = this.#counts;
    void new Counter({
      name: 'sluice_channel_requests_total',
      help: 'Requests with a valid key, by channel id and outcome: ok, refused (4xx), limited (429), failed (5xx).',
      labelNames: ['channel', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [channel, of] of counts)
          for (const outcome of OUTCOMES) this.inc({ channel, outcome }, of[outcome]);
      },
    });
    void new Counter({
      name: 'sluice_channel_orders_total',
      help: 'Orders taken, by channel id.',
      labelNames: ['channel'],
      registers,
      collect() {
        this.reset();
        for (const [channel, { orders }] of counts) this.inc({ channel }, orders);
      },
    });
  }

  request(label: string, status: number): void {
    this.#of(label)[outcomeOf(status)] += 1;
  }

  order(label: string): void {
    this.#of(label).orders += 1;
  }

  #of(label: string): Counts {
    const known = this.#counts.get(label);
    if (known) return known;
    // Channels are added and removed, so over time there may be more labels than active channels with a label.
    if (label !== OTHER_CHANNELS && this.#counts.size >= this.#labelsMax) return this.#of(OTHER_CHANNELS);
    const counts = { ok: 0, refused: 0, limited: 0, failed: 0, orders: 0 };
    this.#counts.set(label, counts);
    return counts;
  }
}
