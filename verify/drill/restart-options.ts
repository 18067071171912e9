// The command line of the restart drill.
import { count, oneOf, optionsOf } from '../kit/command-line.ts';
import { BALANCERS, type BalancerName } from './restart-balancer.ts';

const NAMES = Object.keys(BALANCERS) as BalancerName[];

export const HELP = `npm run drill:restart -- [options]

Starts two processes of the service over one PostgreSQL, and a balancer in front of them with its file of
deploy/proxies/ (Debian's package, unpacked into a directory of its own; no TLS). Under load on connections that are
kept, it stops one process after the other with SIGTERM and starts it again. Every request must be answered as if
nothing had happened.

  --stops N           how many stops (default 10)
  --balancer NAME     ${NAMES.join(', ')} (default haproxy)
  --workers N         SLUICE_WORKERS of the processes (default 1)
  --rate N            orders a second (default 60), and half as many lookups
  --drain-ms N        SLUICE_DRAIN_MS of the processes (default 3000: what the balancers need to notice, and a second)
  --help

Exit code 0: every request was answered, every order is stored once. 1: not so.`;

export const readOptions = optionsOf({
  stops: count(10),
  balancer: oneOf(NAMES, 'haproxy'),
  workers: count(1),
  /** Orders a second; half as many lookups beside them. */
  rate: count(60),
  drain_ms: count(3_000),
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
