// The processes of a run: the service as `npm start` starts it, and our own children over IPC.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 60_000;
const STOP_MS = 15_000;
const OUTPUT_CHARACTERS_MAX = 4_000;

export interface ServiceProcess {
  origin: string;
  port: number;
  pid: number;
  /** What it last printed. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServiceSetup {
  database_url: string;
  secret: string;
  admin_token: string;
  profile: string | null;
}

export async function startService(setup: ServiceSetup, signal: AbortSignal): Promise<ServiceProcess> {
  const port = await freePort();
  const profiling =
    setup.profile === null ? '' : `--cpu-prof --cpu-prof-dir=${JSON.stringify(setup.profile)}`;
  const child = spawn(join(ROOT, 'bin', 'serve'), {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      PORT: String(port),
      DATABASE_URL: setup.database_url,
      SLUICE_SECRET: setup.secret,
      SLUICE_ADMIN_TOKEN: setup.admin_token,
      LOG_LEVEL: 'warn',
      // No balancer here: it stops at once, although /readyz was asked.
      SLUICE_DRAIN_MS: '0',
      NODE_OPTIONS: profiling,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output = (output + String(chunk)).slice(-OUTPUT_CHARACTERS_MAX)));
  }
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilReady(origin, child, signal);
  } catch (error) {
    await stopChild(child);
    throw new Error(`the service did not start: ${String(error)}\n${output}`, { cause: error });
  }
  return { origin, port, pid: child.pid ?? 0, output: () => output, stop: () => stopChild(child) };
}

async function untilReady(origin: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(50)) {
    signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const status = await fetch(`${origin}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
  }
  throw new Error(`not ready in ${READY_MS} ms`);
}

/** A child that answers one message with one message. */
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

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
