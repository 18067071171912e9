// Ends the service and the database server if the benchmark ends without doing so: killed, or by a bug. They run in process
// groups of their own, so that nothing else would end them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);

/** Removed together with the server that runs in it. */
type Charge = { kind: 'group'; pid: number } | { kind: 'data directory'; path: string };

export interface Guardian {
  watch(charge: Charge): void;
  /** Everything was ended. */
  dismiss(): Promise<void>;
}

export async function startGuardian(): Promise<Guardian> {
  const child = fork(FILE, ['guard'], { detached: true, execArgv: [] });
  await once(child, 'message');
  return {
    watch: (charge) => void child.send(charge),
    dismiss: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

async function end(charge: Charge): Promise<void> {
  if (charge.kind === 'group') return kill(-charge.pid, 'SIGKILL');
  const file = await readFile(join(charge.path, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(file, 10);
  // An immediate shutdown, which ends the backends too.
  if (pid > 1) kill(pid, 'SIGQUIT');
  await rm(charge.path, { recursive: true, force: true, maxRetries: 50 });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has already ended
  }
}

if (process.argv[2] === 'guard' && process.argv[1] === FILE) {
  const charges: Charge[] = [];
  process.on('message', (charge: Charge) => charges.push(charge));
  process.once('disconnect', () => void Promise.all(charges.toReversed().map(end)));
  process.send?.('ready');
}
