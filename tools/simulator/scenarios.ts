// How customers behave: the same plan of a visit, with other weights.

export interface Scenario {
  about: string;
  /** Share of customers who come for the one item on sale. */
  on_sale: number;
  /** Share of the others who order something. */
  ordering: number;
  looks_max: number;
  /** Orders and reports are sent so many times at once. */
  copies_max: number;
  /** Share of orders that are sent once more, later. */
  resent: number;
  /** Share of customers at a shop that gives up on an answer after milliseconds, and asks again. */
  impatient: number;
  /** Share of finished orders that get a report too many: a late cancellation, a second tracking number. */
  late: number;
  fates: Readonly<Record<'shipped' | 'cancelled' | 'left', number>>;
}

export const SCENARIOS = {
  calm: {
    about: 'a calm day: customers look, order, pay; most orders are shipped, some cancelled',
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
    about: 'a flash sale: nearly everybody wants the same item, and there is far too little of it',
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
    about: 'wild retries: orders and reports several times at once, and answers that nobody waits for',
    on_sale: 0.3,
    ordering: 0.8,
    looks_max: 2,
    copies_max: 4,
    resent: 0.5,
    impatient: 0.35,
    late: 0.3,
    fates: { shipped: 55, cancelled: 30, left: 15 },
  },
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];
