// Ends the service and the database server if the benchmark is killed or fails to end them. They run in
// separate process groups, so nothing else would end them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);

/** A process group is killed. A data directory is removed after the server that runs in it was stopped. */
type Resource = { kind: 'group'; pid: number } | { kind: 'data directory'; path: string };

export interface Guardian {
  watch(resource: Resource): void;
  /** Call it when the benchmark itself has ended everything. */
  dismiss(): Promise<void>;
}

export async function startGuardian(): Promise<Guardian> {
  const child = fork(FILE, ['guard'], { detached: true, execArgv: [] });
  await once(child, 'message');
  return {
    watch: (resource) => void child.send(resource),
    dismiss: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

async function end(resource: Resource): Promise<void> {
  if (resource.kind === 'group') return kill(-resource.pid, 'SIGKILL');
  const file = await readFile(join(resource.path, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(file, 10);
  // An immediate shutdown, which ends the backends too.
  if (pid > 1) kill(pid, 'SIGQUIT');
  await rm(resource.path, { recursive: true, force: true, maxRetries: 50 });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has already ended
  }
}

if (process.argv[2] === 'guard' && process.argv[1] === FILE) {
  const resources: Resource[] = [];
  process.on('message', (resource: Resource) => resources.push(resource));
  process.once('disconnect', () => void Promise.all(resources.toReversed().map(end)));
  process.send?.('ready');
}
