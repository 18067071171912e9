// The demo's service as a process: started as `npm start` starts it, and told to stop by nobody but the demo.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_POLL_MS = 200;

export interface Service {
  /** False: it ended before it was ready, and has said why. */
  ready(): Promise<boolean>;
  ended: Promise<unknown>;
  /** How it ended; null while it runs. */
  code(): number | null;
  stop(): void;
}

export function startService(origin: string, env: NodeJS.ProcessEnv): Service {
  const child: ChildProcess = spawn(join(ROOT, 'bin', 'serve'), {
    cwd: ROOT,
    env,
    // A group of its own: Ctrl-C ends the customers first, and the service when the last one was attended to.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // Its welcome is said by the demo; what is left are the lines of its log.
  if (child.stdout)
    createInterface(child.stdout).on('line', (line) => line.startsWith('{') && console.error(line));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    ended,
    code: () => child.exitCode,
    stop: () => void child.kill('SIGTERM'),
    async ready() {
      while (!hasEnded()) {
        const answer = await fetch(`${origin}/readyz`).catch(() => null);
        if (answer?.ok) return true;
        await Promise.race([sleep(READY_POLL_MS), ended]);
      }
      return false;
    },
  };
}
