// The service as a separate process, started like `npm start`, in its own process group.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './environment.ts';
import { freePort } from './ports.ts';
import { ADMIN_TOKEN, TEST_SECRET } from './canaries.ts';
import { keepOutput, keepServerLog } from './written.ts';
import { callsTo } from './service.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 240_000;
const STOP_MS = 180_000;

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export type ServiceProcess = Awaited<ReturnType<typeof spawnService>>;

/** The environment of a service on this database. */
export const onDatabase = (url: string) => ({
  DATABASE_URL: url,
  SLUICE_SECRET: TEST_SECRET,
  SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
});

export async function spawnService(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, 'src/start/main.ts'],
  cwd = ROOT,
) {
  const port = Number(env['PORT'] ?? (await freePort()));
  const origin = `http://${env['HOST'] ?? '127.0.0.1'}:${port}`;
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    detached: true,
    // The kit polls /readyz, so the service would assume a load balancer and drain on stop.
    env: { ...bareEnvironment(), PORT: String(port), SLUICE_DRAIN_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += String(chunk)));
  child.stderr?.on('data', (chunk) => (output += String(chunk)));
  child.on('error', (error) => (output += error.message));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      keepOutput(output);
      resolve({ code, signal });
    });
  });
  /** To the whole group, as a terminal does. */
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // the group has already exited
    }
  };
  /** Resolves true once /readyz answers 200, false when the process ended before. */
  const ready = async (ms = READY_MS): Promise<boolean> => {
    for (const deadline = Date.now() + ms; Date.now() < deadline;) {
      if (await Promise.race([ended.then(() => true), sleep(50, false)])) return false;
      const answer = await fetch(`${origin}/readyz`).catch(() => null);
      if (answer?.status === 200) return true;
    }
    throw new Error(`not ready in ${ms} ms:\n${output}`);
  };
  return {
    child,
    pid: child.pid ?? 0,
    port,
    origin,
    output: () => output,
    ended,
    /** Resolves once the text is in its output. */
    printed: (text: string) =>
      until(() => output.includes(text)).catch(() => {
        throw new Error(`"${text}" was never printed:\n${output}`);
      }),
    ready,
    /** Throws with its output if it exited before it was ready. */
    async mustBeReady() {
      if (!(await ready())) throw new Error(`the service ended before it was ready:\n${output}`);
    },
    signal,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** SIGTERM, then SIGKILL if it does not exit in this time. */
    async stop(ms = STOP_MS) {
      signal('SIGTERM');
      const end = await Promise.race([ended, sleep(ms, null, { ref: false })]);
      if (end === null) signal('SIGKILL');
      return ended;
    },
    ...callsTo(origin),
  };
}

/** Starts a service that is ready; otherwise throws with its output. `onSpawned` gets the process before it is ready. */
export async function startService(
  env: Record<string, string>,
  command?: readonly string[],
  onSpawned: (service: ServiceProcess) => void = () => {},
): Promise<ServiceProcess> {
  const service = await spawnService(env, command);
  try {
    onSpawned(service);
    await service.mustBeReady();
    return service;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-start-'));
  const remove = async (): Promise<void> => {
    keepServerLog(path);
    await rm(path, { recursive: true, force: true });
  };
  return { path, remove };
}
