// The figures of a run so far, by channel.
import type { Observer } from '../../verify/observer/observer.ts';
import type { Finding, FindingKind } from '../../verify/observer/requests.ts';

export interface Happening extends Finding {
  channel: number;
}

export interface ChannelFigures {
  name: string;
  counts: Partial<Record<FindingKind, number>>;
  requests: number;
  p50_ms: number;
  p99_ms: number;
  /** The latest events, newest first. */
  last: readonly Happening[];
}

const LATENCIES_KEPT = 2_000;
const HAPPENINGS_KEPT = 3;
/** Findings that are shown. Reads are too frequent. */
const WORTH_SHOWING: ReadonlySet<FindingKind> = new Set([
  'accepted',
  'resent',
  'refused',
  'paid',
  'shipped',
  'cancelled',
  'too_late',
  'short',
  'turned_away',
  'unanswered',
] as const);

class Figures {
  readonly name: string;
  readonly counts: Partial<Record<FindingKind, number>> = {};
  readonly last: Happening[] = [];
  readonly #latencies: number[] = [];
  #requests = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(happening: Happening): void {
    const { kind } = happening;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.#requests += 1;
    if (!WORTH_SHOWING.has(kind)) return;
    this.last.unshift(happening);
    this.last.length = Math.min(this.last.length, HAPPENINGS_KEPT);
  }

  took(ms: number): void {
    this.#latencies[this.#requests % LATENCIES_KEPT] = ms;
  }

  read(): ChannelFigures {
    const sorted = this.#latencies.filter((ms) => ms !== undefined).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const { name, counts, last } = this;
    return { name, counts, last, requests: this.#requests, p50_ms: at(0.5), p99_ms: at(0.99) };
  }
}

export class Board {
  readonly #figures: Figures[];

  constructor(names: readonly string[]) {
    this.#figures = names.map((name) => new Figures(name));
  }

  add(happening: Happening): void {
    this.#figures[happening.channel]?.add(happening);
  }

  took(channel: number, ms: number): void {
    this.#figures[channel]?.took(ms);
  }

  read(): ChannelFigures[] {
    return this.#figures.map((figures) => figures.read());
  }

  sum(kind: FindingKind): number {
    return this.#figures.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0);
  }
}

export interface Summary {
  seed: number;
  scenario: string;
  seconds: number;
  channels: (Omit<ChannelFigures, 'last' | 'p50_ms' | 'p99_ms'> & {
    latency_ms: { p50: number; p99: number };
  })[];
  broken_promises: string[];
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

export const summaryOf = (
  { seed, scenario, seconds }: Pick<Summary, 'seed' | 'scenario' | 'seconds'>,
  board: Board,
  observer: Observer,
): Summary => ({
  seed,
  scenario,
  seconds: tenths(seconds),
  channels: board.read().map(({ name, counts, requests, p50_ms, p99_ms }) => ({
    name,
    requests,
    counts,
    latency_ms: { p50: tenths(p50_ms), p99: tenths(p99_ms) },
  })),
  broken_promises: [...observer.broken],
});
