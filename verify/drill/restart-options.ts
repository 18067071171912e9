// The command line of the restart drill.
import { count, optionsOf } from '../kit/command-line.ts';

export const HELP = `npm run drill:restart -- [options]

Starts two processes of the service over one PostgreSQL, and HAProxy in front of them with the lines that
docs/operations.md shows (Debian's package, unpacked into a directory of its own). Under load on connections that are
kept, it stops one process after the other with SIGTERM and starts it again. Every request must be answered as if
nothing had happened.

  --stops N           how many stops (default 10)
  --rate N            orders a second (default 60), and half as many lookups
  --drain-ms N        SLUICE_DRAIN_MS of the processes (default 3000: what HAProxy needs to notice, and a second)
  --help

Exit code 0: every request was answered, every order is stored once. 1: not so.`;

export const readOptions = optionsOf({
  stops: count(10),
  /** Orders a second; half as many lookups beside them. */
  rate: count(60),
  drain_ms: count(3_000),
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
