// The command line of the restart drill.
import { FLAG, positiveInteger, readFlags, TEXT } from '../kit/command-line.ts';

export interface Options {
  stops: number;
  /** Orders a second; half as many lookups beside them. */
  rate: number;
  drain_ms: number;
}

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

const FLAGS = { stops: TEXT, rate: TEXT, 'drain-ms': TEXT, help: FLAG } as const;

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, FLAGS);
  if (values.help) return null;
  return {
    stops: positiveInteger('--stops', values.stops, 10),
    rate: positiveInteger('--rate', values.rate, 60),
    drain_ms: positiveInteger('--drain-ms', values['drain-ms'], 3_000),
  };
}
