// The command line of the restart drill.
import { count, oneOf, optionsOf } from '../kit/command-line.ts';
import { BALANCERS, type BalancerName } from './restart-balancer.ts';

const NAMES = Object.keys(BALANCERS) as BalancerName[];

export const HELP = `npm run drill:restart -- [options]

Starts two processes of the service over one PostgreSQL, and a load balancer in front of them, configured from
deploy/proxies/ (its Debian package, unpacked into a temporary directory; no TLS); caddy-single: one process. Under load on keep-alive
connections, it stops one process after the other with SIGTERM and starts it again. Every request must succeed.

  --stops N           number of stops (default 10)
  --balancer NAME     ${NAMES.join(', ')} (default haproxy)
  --workers N         SLUICE_WORKERS of the processes (default 1)
  --rate N            orders per second (default 60), and half as many lookups
  --drain-ms N        SLUICE_DRAIN_MS of the processes (default 3000: the balancers' detection time plus a second)
  --help

Exit code 0: every request was answered, every order is stored once. 1: otherwise.`;

export const readOptions = optionsOf({
  stops: count(10),
  balancer: oneOf(NAMES, 'haproxy'),
  workers: count(1),
  /** Orders per second; lookups are sent at half this rate. */
  rate: count(60),
  drain_ms: count(3_000),
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
