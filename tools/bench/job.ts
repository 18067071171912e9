// What the orchestrator asks of the load generator, and what it gets back. Plain data: it crosses a process.

/** How the bytes of the requests are made; counters and random numbers are drawn in the generator. */
export type RequestPlan =
  /** New orders of two lines, each under a number of its own. */
  | { kind: 'order'; path: string; prefix: string; skus: SkuChoice; variants: number }
  /** Orders that are stored already: `count` numbers in turn. */
  | { kind: 'resend'; path: string; prefix: string; count: number }
  /** Stored orders taken through preparation to shipped or cancelled, one connection an order. */
  | { kind: 'walk'; path: string; prefix: string; count: number }
  | { kind: 'lookup'; path: string; variants: number }
  | { kind: 'get'; paths: readonly string[]; headers: Readonly<Record<string, string>> };

export type SkuChoice = 'hot' | 'uniform' | 'soldout';

type Load =
  /** Each connection sends its next request when the answer to the last one is there. */
  | { kind: 'closed'; connections: number }
  /** Requests become due by the clock, and wait for a free connection. */
  | { kind: 'open'; rate: number; connections: number };

/** 100 SKUs changed by one statement before each request. */
export interface ChangePlan {
  database_url: string;
  variants: number;
}

export interface Job {
  port: number;
  keys: readonly string[];
  /** Signs each order; null: nothing is signed. */
  signing_secret: string | null;
  request: RequestPlan;
  load: Load;
  change: ChangePlan | null;
  warmup_s: number;
  seconds: number;
  /** A slow operation is measured for longer, until there are this many answers. */
  answers_min: number;
  /** Statuses of which every answer must be one, and those that count as done. */
  allowed: readonly number[];
  counted: number;
  body_bytes_min: number;
  /**
   * For answers of megabytes: how long one is. 64 of them arrive in turns and end nearly together, so that the
   * parts that arrived within the measured time are counted, too.
   */
  body_bytes: number | null;
  /** Whether the answers still on their way are waited for when enough is counted; those of lists take a second. */
  drain: boolean;
  pids: Pids;
}

interface Pids {
  /** The process under load: the service, or the baselines. */
  service: number;
  postmaster: number;
}

/** CPU seconds; null where the system does not tell. */
export interface CpuSeconds {
  generator: number;
  service: number | null;
  database: number | null;
}

export interface LoadResult {
  /** Counted answers per second. */
  ops_s: number;
  counted: number;
  seconds: number;
  p50_ms: number;
  p99_ms: number;
  statuses: Record<string, number>;
  /** Open loop: due within the run and never sent. */
  unsent: number;
  cpu: CpuSeconds;
  /** Counted answers in each whole second of the run. */
  timeline: number[];
  /** Any makes the run invalid. */
  faults: string[];
}

export type Reply = { ok: true; result: LoadResult } | { ok: false; error: string };
