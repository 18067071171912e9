// `npm test -- --cpu`: the CPU seconds of each test file, of every process that it starts: the wall clock of a shared
// machine says little. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of /proc/<pid>/stat; the same on every Linux. */
const TICKS_PER_SECOND = 100;
const LOOK_MS = 100;

/** The CPU seconds so far of this process and all its descendants, with those that have ended and were waited for. */
function cpuSeconds(): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // After the name in parentheses: state, parent, …; the times are the 12th to 15th.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
      ticks.set(
        Number(name),
        fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
      );
    } catch {
      // it has ended
    }
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((all, child) => all + sum(child), ticks.get(pid) ?? 0);
  return sum(process.pid) / TICKS_PER_SECOND;
}

/** Watches the marks of the files in the queue's directory; returns the table once `ended` is aborted. */
export async function measureFiles(
  queue: string,
  files: readonly string[],
  ended: AbortSignal,
): Promise<string> {
  const rows: { file: string; seconds: number }[] = [];
  let before = cpuSeconds();
  while (!ended.aborted) {
    const next = files[rows.length];
    if (next !== undefined && readdirSync(queue).includes(`${rows.length}.done`)) {
      const now = cpuSeconds();
      rows.push({ file: next, seconds: now - before });
      before = now;
    }
    await sleep(LOOK_MS);
  }
  return rows
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} ${file}`)
    .join('\n');
}
