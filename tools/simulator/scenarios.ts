// Customer behaviour: all scenarios plan visits in the same way, with different weights.

export interface Scenario {
  about: string;
  /**
   * The number of customers in each part of the run, as a multiple of the rate. All parts have the same length.
   */
  arrivals: readonly number[];
  /** Defaults of the command line: customers per second at usual times, and the duration of the run. */
  rate: number;
  seconds: number;
  /** Share of customers who order the item on sale. */
  on_sale: number;
  /** Share of the others who place an order. */
  ordering: number;
  looks_max: number;
  /** Maximum number of concurrent copies of an order or report. */
  copies_max: number;
  /** Share of orders that are resent later. */
  resent: number;
  /** Share of customers whose shop has very short timeouts and retries. */
  impatient: number;
  /** Share of finished orders with an extra report: a late cancellation, a second tracking number. */
  late: number;
  fates: Readonly<Record<'shipped' | 'cancelled' | 'left', number>>;
}

const STEADY = [1];
const BLACK_FRIDAY = [1, 100, 100, 100, 100, 1];
/** By hour, from midnight. */
const DAY = [
  0.5, 0.3, 0.2, 0.1, 0.1, 0.2, 0.4, 0.7, 0.9, 1.1, 1.2, 1.3, 1.7, 1.3, 1.1, 1.1, 1.1, 1.2, 1.4, 1.7, 2, 2.1,
  1.5, 0.8,
];

export const SCENARIOS = {
  calm: {
    about: 'a calm day: customers look, order, pay; most orders are shipped, some cancelled',
    arrivals: STEADY,
    rate: 10,
    seconds: 60,
    on_sale: 0,
    ordering: 0.6,
    looks_max: 4,
    copies_max: 1,
    resent: 0.08,
    impatient: 0,
    late: 0.06,
    fates: { shipped: 68, cancelled: 12, left: 20 },
  },
  'flash-sale': {
    about: 'a flash sale: most customers order the same item, which is scarce',
    arrivals: STEADY,
    rate: 10,
    seconds: 60,
    on_sale: 0.85,
    ordering: 0.5,
    looks_max: 2,
    copies_max: 2,
    resent: 0.15,
    impatient: 0,
    late: 0.05,
    fates: { shipped: 60, cancelled: 25, left: 15 },
  },
  'wild-retries': {
    about: 'wild retries: concurrent copies of orders and reports, and clients that time out',
    arrivals: STEADY,
    rate: 10,
    seconds: 60,
    on_sale: 0.3,
    ordering: 0.8,
    looks_max: 2,
    copies_max: 4,
    resent: 0.5,
    impatient: 0.35,
    late: 0.3,
    fates: { shipped: 55, cancelled: 30, left: 15 },
  },
  'black-friday': {
    about: 'black Friday: for a minute a hundred times as many customers as usual',
    arrivals: BLACK_FRIDAY,
    rate: 2,
    seconds: 90,
    on_sale: 0.4,
    ordering: 0.8,
    looks_max: 2,
    copies_max: 1,
    resent: 0.1,
    impatient: 0.02,
    late: 0.03,
    fates: { shipped: 40, cancelled: 10, left: 50 },
  },
  day: {
    about: 'a day in a minute: a quiet night, busy at noon and in the evening',
    arrivals: DAY,
    rate: 10,
    seconds: 60,
    on_sale: 0.05,
    ordering: 0.6,
    looks_max: 4,
    copies_max: 1,
    resent: 0.08,
    impatient: 0.01,
    late: 0.06,
    fates: { shipped: 68, cancelled: 12, left: 20 },
  },
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** How many customers have arrived after this share of the run, at `usual` customers per second. */
export function arrivedBy({ arrivals }: Scenario, share: number, usual: number): number {
  const parts = Math.min(1, share) * arrivals.length;
  const whole = arrivals.slice(0, Math.floor(parts)).reduce((sum, factor) => sum + factor, 0);
  const current = arrivals[Math.floor(parts)] ?? 0;
  return ((whole + current * (parts % 1)) / arrivals.length) * usual;
}

/**
 * How many customers have arrived after a time, in a run of `ms` with `rate` customers per second at usual times. A run
 * without an end has no parts, so its customers arrive at the usual rate.
 */
export const arrivalsOf =
  (scenario: Scenario, ms: number, rate: number) =>
  (elapsed_ms: number): number =>
    ms === Infinity ? (elapsed_ms / 1000) * rate : arrivedBy(scenario, elapsed_ms / ms, (ms / 1000) * rate);
