// Finds the drill's processes by the drill's directory in their command lines.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

interface Process {
  pid: number;
  parent: number;
  command: string;
}

async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat, command] = await Promise.all([
          readFile(`/proc/${pid}/stat`, 'utf8'),
          readFile(`/proc/${pid}/cmdline`, 'utf8'),
        ]);
        // "pid (name) state parent …"; the name may contain any character, including brackets.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(pid), parent, command: command.replaceAll('\0', ' ') }];
      } catch {
        return []; // has exited
      }
    }),
  );
  return found.flat();
}

const naming = (all: readonly Process[], text: string): Process[] =>
  all.filter(({ pid, command }) => pid !== process.pid && command.includes(text));

/** Processes whose command line contains `text`, without their children. */
export async function processesNaming(text: string): Promise<number[]> {
  const named = naming(await listProcesses(), text);
  const pids = new Set(named.map(({ pid }) => pid));
  return named.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid);
}

/** Processes whose command line contains `text`, with all descendants. */
export async function processesUnder(text: string): Promise<number[]> {
  const all = await listProcesses();
  const chosen = new Set(naming(all, text).map(({ pid }) => pid));
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size;
    for (const { pid, parent } of all) if (chosen.has(parent)) chosen.add(pid);
  }
  return [...chosen];
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // has exited, possibly because another process was killed
    }
  }
}

/** Repeats until none is left: a process may start another one while it is being killed. */
export async function killAllUnder(text: string): Promise<void> {
  for (let pids; (pids = await processesUnder(text)).length > 0; await sleep(20)) signalAll(pids, 'SIGKILL');
}
