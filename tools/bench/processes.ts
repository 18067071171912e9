// The processes of a run: the service, started like `npm start`, and the benchmark's own children with IPC.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Guardian } from './guardian.ts';
import { startService, type ServiceProcess } from '../../verify/kit/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STOP_MS = 15_000;

export interface ServiceSetup {
  database_url: string;
  secret: string;
  admin_token: string;
  profile: string | null;
  workers: number;
  /** Additional environment variables. */
  env: Readonly<Record<string, string>>;
}

export function startBenchService(setup: ServiceSetup, guardian: Guardian): Promise<ServiceProcess> {
  const profiling =
    setup.profile === null ? '' : `--cpu-prof --cpu-prof-dir=${JSON.stringify(setup.profile)}`;
  const env = {
    DATABASE_URL: setup.database_url,
    SLUICE_SECRET: setup.secret,
    SLUICE_ADMIN_TOKEN: setup.admin_token,
    SLUICE_WORKERS: String(setup.workers),
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: profiling,
    ...setup.env,
  };
  return startService(env, ['bin/serve'], ({ pid }) => guardian.watch({ kind: 'group', pid }));
}

/** A child process that answers each message with one message. */
export interface Helper {
  pid: number;
  ask<Answer>(question: object): Promise<Answer>;
  stop(): Promise<void>;
}

export function startHelper(file: string, signal: AbortSignal): Helper {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], { cwd: ROOT });
  return {
    pid: child.pid ?? 0,
    ask: <Answer>(question: object) =>
      new Promise<Answer>((resolve, reject) => {
        const settle = (act: () => void) => {
          child.off('message', answered);
          child.off('exit', ended);
          signal.removeEventListener('abort', aborted);
          act();
        };
        const answered = (message: unknown) => settle(() => resolve(message as Answer));
        const ended = (code: number | null) => settle(() => reject(new Error(`${file} ended (${code})`)));
        const aborted = () => settle(() => reject(signal.reason as Error));
        if (signal.aborted) return aborted();
        child.once('message', answered);
        child.once('exit', ended);
        signal.addEventListener('abort', aborted);
        child.send(question);
      }),
    stop: () =>
      stopChild(child, () => {
        if (child.connected) child.disconnect();
      }),
  };
}

async function stopChild(child: ChildProcess, ask = () => void child.kill('SIGTERM')): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  ask();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
