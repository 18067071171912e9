// CPU time and memory of other processes, from /proc; null on systems other than Linux.
import { readFileSync } from 'node:fs';

/** USER_HZ: the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

interface Ticks {
  own: number;
  /** of children that have exited and were waited for */
  ended: number;
}

function ticksOf(pid: number): Ticks | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command name is in brackets and may contain blanks; `state` is the first field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: user + system, ended: endedUser + endedSystem };
}

/**
 * CPU seconds of a process with its running and exited children, such as PostgreSQL's postmaster with its
 * backends, or a supervisor with its workers.
 */
export function cpuSecondsOfTree(pid: number): number | null {
  const ticks = ticksOf(pid);
  const children = childrenOf(pid);
  if (ticks === null || children === null) return null;
  const living = children.reduce((sum, child) => sum + (ticksOf(child)?.own ?? 0), 0);
  return (ticks.own + ticks.ended + living) / TICKS_PER_SECOND;
}

/**
 * Steal time of all processors together since the start of the system: a process was ready to run, but the host
 * of this virtual machine ran other guests.
 */
export function stolenSeconds(): number | null {
  const [total = ''] = (readOrNull('/proc/stat') ?? '').split('\n', 1);
  const steal = total.split(/ +/)[8];
  return steal === undefined ? null : Number(steal) / TICKS_PER_SECOND;
}

const childrenOf = (pid: number): number[] | null =>
  readOrNull(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean).map(Number) ?? null;

/** Peak resident memory of the process plus that of its children. */
export function peakMegabytesOf(pid: number): number | null {
  const own = peakOf(pid);
  return own && (childrenOf(pid) ?? []).reduce((sum, child) => sum + (peakOf(child) ?? 0), own);
}

function peakOf(pid: number): number | null {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readOrNull(`/proc/${pid}/status`) ?? '');
  return match ? Number(match[1]) / 1024 : null;
}

/** The current resident memory of the process. */
export function residentMegabytesOf(pid: number): number | null {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readOrNull(`/proc/${pid}/status`) ?? '');
  return match ? Number(match[1]) / 1024 : null;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
