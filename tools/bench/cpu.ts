// CPU time and memory of other processes, from /proc. Other systems than Linux do not tell; then it is null.
import { readFileSync } from 'node:fs';

/** USER_HZ: the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

interface Ticks {
  own: number;
  /** of children that have ended and were waited for */
  ended: number;
}

function ticksOf(pid: number): Ticks | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command's name comes in brackets and may hold blanks; `state` is the first field behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: user + system, ended: endedUser + endedSystem };
}

/** All threads of one process. */
export function cpuSecondsOf(pid: number): number | null {
  const ticks = ticksOf(pid);
  return ticks && ticks.own / TICKS_PER_SECOND;
}

/** A process with its children, living and ended: PostgreSQL's postmaster with its backends. */
export function cpuSecondsOfTree(pid: number): number | null {
  const ticks = ticksOf(pid);
  const children = readOrNull(`/proc/${pid}/task/${pid}/children`);
  if (ticks === null || children === null) return null;
  let sum = ticks.own + ticks.ended;
  for (const child of children.split(' ')) {
    if (child !== '') sum += ticksOf(Number(child))?.own ?? 0;
  }
  return sum / TICKS_PER_SECOND;
}

/** The largest resident size the process ever had. */
export function peakMegabytesOf(pid: number): number | null {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readOrNull(`/proc/${pid}/status`) ?? '');
  return match ? Number(match[1]) / 1024 : null;
}

/** The resident size now. */
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
