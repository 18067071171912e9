// Messages between the orchestrator and the load generator. Plain data, because it is sent to another process.

/** How requests are generated; counters and random numbers come from the generator. */
export type RequestPlan =
  /** New orders of two lines, each with its own number. */
  | { kind: 'order'; path: string; prefix: string; skus: SkuChoice; variants: number }
  /** Resends of stored orders: `count` numbers in turn. */
  | { kind: 'resend'; path: string; prefix: string; count: number }
  /**
   * Reports that move stored orders through preparation to shipped or cancelled, with one connection per order.
   */
  | { kind: 'walk'; path: string; prefix: string; count: number }
  | { kind: 'lookup'; path: string; variants: number }
  | { kind: 'get'; paths: readonly string[]; headers: Readonly<Record<string, string>> };

export type SkuChoice = 'hot' | 'uniform' | 'soldout';

type Load =
  /** Each connection sends its next request after the answer to the last one. */
  | { kind: 'closed'; connections: number }
  /** Requests become due on a schedule, and wait for a free connection. */
  | { kind: 'open'; rate: number; connections: number };

/** 100 SKUs changed by one statement before each request. */
export interface ChangePlan {
  database_url: string;
  variants: number;
}

export interface Job {
  port: number;
  keys: readonly string[];
  /** Signs each order; null: unsigned. */
  signing_secret: string | null;
  request: RequestPlan;
  load: Load;
  change: ChangePlan | null;
  warmup_s: number;
  seconds: number;
  /** Slow operations are measured for longer, until there are this many answers. */
  answers_min: number;
  /** Every answer must have one of the allowed statuses; the counted one counts as done. */
  allowed: readonly number[];
  counted: number;
  body_bytes_min: number;
  /**
   * The expected length of an answer of several megabytes. 64 such answers arrive interleaved and end almost
   * together, so the parts that arrived within the measured time are counted too.
   */
  body_bytes: number | null;
  /** Whether to wait for pending answers after the measurement. Those of stock lists take a second. */
  drain: boolean;
  pids: Pids;
}

interface Pids {
  /** The process under load: the service, or the baselines. */
  service: number;
  postmaster: number;
}

/** CPU seconds; null if the system does not report them. */
export interface CpuSeconds {
  generator: number;
  service: number | null;
  database: number | null;
  /** CPU seconds of all processors that other guests of the host took (steal time). */
  stolen: number | null;
}

export interface LoadResult {
  /** Counted answers per second. */
  ops_s: number;
  counted: number;
  seconds: number;
  p50_ms: number;
  p99_ms: number;
  statuses: Record<string, number>;
  /** Open loop: requests that became due within the run but were never sent. */
  unsent: number;
  cpu: CpuSeconds;
  /** Counted answers per full second of the run. */
  timeline: number[];
  /** Any fault makes the run invalid. */
  faults: string[];
}

export type Reply = { ok: true; result: LoadResult } | { ok: false; error: string };
