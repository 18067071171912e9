// The comparisons, and the ratios to reach.

/** One kind of run; each is made once per round. */
export type RunName =
  /** before the tables are analyzed; for information, not part of a target */
  | 'hot_unanalyzed'
  | 'hot'
  | 'rowlock_hot'
  | 'uniform'
  | 'rowlock_uniform'
  | 'hot_256'
  | 'echo_post_256'
  | 'overload'
  | 'half_load'
  /** the same arrival rate on echo: shows the share of machine and generator; not part of a target */
  | 'echo_half_load'
  | 'resend'
  | 'echo_post'
  | 'soldout'
  | 'echo_refused'
  | 'status'
  | 'rowlock_status'
  | 'lookup'
  | 'echo_get'
  | 'list_304'
  | 'list_warm'
  | 'static'
  | 'list_changed'
  | 'static_changed'
  | 'rowlist_changed'
  | 'lone'
  | 'rowlock_lone'
  /** hot orders of two extra channels: one that must sign, one with a rate limit that it never reaches */
  | 'hot_signed'
  | 'hot_limited'
  /** like the runs without `_one`, on a service with one worker; only if the service has several workers */
  | 'hot_one'
  | 'uniform_one'
  | 'status_one'
  | 'lookup_one'
  | GrownRun;

/** Each run has a separate database and service. */
export type GrownRun = 'grown' | 'empty';

/** The runs that every round consists of. */
export type RoundRun = Exclude<RunName, GrownRun | 'hot_unanalyzed'>;

type Measure =
  /** operations per second of the first divided by the second */
  | { kind: 'throughput'; of: RunName; against: RunName }
  /** median time of the first divided by the second */
  | { kind: 'median_time'; of: RunName; against: RunName }
  | { kind: 'p99'; of: RunName }
  /** CPU time of service and database for one operation of the first divided by the second */
  | { kind: 'cpu'; of: RunName; against: RunName }
  /** measured once, outside the rounds */
  | { kind: 'single' };

export interface Target {
  name: string;
  measure: Measure;
  /** null: only reported */
  aim: { bound: '≥' | '≤'; value: number } | null;
  /** `full` is not part of a quick run; `workers` compares several with one; `soak` has its own command. */
  part: 'always' | 'full' | 'workers' | 'soak';
}

const atLeast = (
  name: string,
  of: RunName,
  against: RunName,
  value: number,
  part: Target['part'] = 'always',
): Target => ({ name, measure: { kind: 'throughput', of, against }, aim: { bound: '≥', value }, part });

const onlyShown = (name: string, of: RunName, against: RunName): Target => ({
  name,
  measure: { kind: 'throughput', of, against },
  aim: null,
  part: 'always',
});

const atMost = (name: string, measure: Measure, value: number, part: Target['part'] = 'always'): Target => ({
  name,
  measure,
  aim: { bound: '≤', value },
  part,
});

export const TARGETS: readonly Target[] = [
  atLeast('intake_hot_vs_rowlock', 'hot', 'rowlock_hot', 20),
  atLeast('intake_uniform_vs_rowlock', 'uniform', 'rowlock_uniform', 9),
  atLeast('intake_hot_vs_echo', 'hot_256', 'echo_post_256', 0.8),
  atLeast('intake_hot_vs_uniform', 'hot', 'uniform', 1),
  atLeast('resend_vs_echo', 'resend', 'echo_post', 0.5),
  atLeast('soldout_vs_echo', 'soldout', 'echo_refused', 0.5),
  atLeast('status_vs_rowlock', 'status', 'rowlock_status', 5),
  atLeast('lookup_vs_echo', 'lookup', 'echo_get', 0.6),
  atLeast('list_warm_vs_static', 'list_warm', 'static', 0.8),
  atLeast('list_changed_vs_static', 'list_changed', 'static_changed', 0.7),
  atLeast('list_changed_vs_rowlist', 'list_changed', 'rowlist_changed', 25),
  atLeast('list_304_vs_echo', 'list_304', 'echo_get', 0.7),
  atLeast('intake_grown_vs_empty', 'grown', 'empty', 0.8, 'full'),
  { name: 'soak_last_vs_first', measure: { kind: 'single' }, aim: { bound: '≥', value: 0.95 }, part: 'soak' },
  atLeast('overload_goodput', 'overload', 'hot_256', 0.9),
  atMost('order_p99_ms_at_half_load', { kind: 'p99', of: 'half_load' }, 10),
  atMost('lone_order_vs_rowlock', { kind: 'median_time', of: 'lone', against: 'rowlock_lone' }, 1.5),
  onlyShown('intake_signed_vs_plain', 'hot_signed', 'hot'),
  onlyShown('intake_limited_vs_plain', 'hot_limited', 'hot'),
  atLeast('hot_vs_one_worker', 'hot', 'hot_one', 0.9, 'workers'),
  atLeast('uniform_vs_one_worker', 'uniform', 'uniform_one', 0.9, 'workers'),
  atLeast('status_vs_one_worker', 'status', 'status_one', 0.9, 'workers'),
  atLeast('lookup_vs_one_worker', 'lookup', 'lookup_one', 0.9, 'workers'),
  atMost('hot_cpu_vs_one_worker', { kind: 'cpu', of: 'hot', against: 'hot_one' }, 1.1, 'workers'),
  atMost('uniform_cpu_vs_one_worker', { kind: 'cpu', of: 'uniform', against: 'uniform_one' }, 1.1, 'workers'),
  atMost('service_rss_mb', { kind: 'single' }, 350),
  atMost('service_rss_ten_channels_mb', { kind: 'single' }, 700, 'full'),
];

export const runsOf = ({ measure }: Target): RunName[] => {
  switch (measure.kind) {
    case 'throughput':
    case 'median_time':
    case 'cpu':
      return [measure.of, measure.against];
    case 'p99':
      // The half load depends on the peak, which is measured in the same round.
      return [measure.of, 'hot_256', 'echo_half_load'];
    case 'single':
      return [];
  }
};
