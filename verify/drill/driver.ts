// The drill's handle on the driver process.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order } from './driver-process.ts';
import type { Progress, TrafficOptions } from './traffic.ts';

export interface DriverOptions extends Omit<TrafficOptions, 'connections'> {
  /** Path of the ledger; must not exist yet. */
  file: string;
  connections?: number;
}

export interface Finished extends Progress {
  /** Commands without a definite answer after all retries. */
  unsettled: number;
}

export interface Driver {
  readonly pid: number;
  /** Resolves once no request is in flight and the file is flushed; unanswered commands stay unanswered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * While paused: resends every command with an unknown outcome until it has a definite answer; returns how many have
   * none.
   */
  settle(): Promise<number>;
  progress(): Promise<Progress>;
  /** Writes a remark into the ledger, such as what was just killed. */
  note(text: string): Promise<void>;
  /** Pauses, settles and ends. */
  finish(): Promise<Finished>;
  /** Ends without settling. */
  stop(): Promise<void>;
}

const CONNECTIONS = 32;
const STOP_MS = 10_000;

export async function startDriver({ file, ...given }: DriverOptions): Promise<Driver> {
  const child = fork(fileURLToPath(new URL('driver-process.ts', import.meta.url)), [], {
    serialization: 'json',
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(result);
    else one?.reject(new Error(`the driver: ${error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the driver ended (${signal ?? code})`));
    waiting.clear();
  });
  let asked = 0;
  const ask = <Result = void>(order: Order): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      child.send({ id, order }, (error) => {
        if (error) reject(error);
      });
    });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  };

  const options = { connections: CONNECTIONS, ...given };
  try {
    await ask({ do: 'start', file, options });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    pause: () => ask({ do: 'pause' }),
    resume: () => ask({ do: 'resume' }),
    settle: () => ask({ do: 'settle' }),
    progress: () => ask({ do: 'progress' }),
    note: (text) => ask({ do: 'note', text }),
    async finish() {
      await ask({ do: 'pause' });
      const unsettled = await ask<number>({ do: 'settle' });
      const progress = await ask<Progress>({ do: 'progress' });
      await ask({ do: 'end' });
      await stop();
      return { ...progress, unsettled };
    },
    stop,
  };
}
