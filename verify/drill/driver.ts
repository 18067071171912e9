// The drill's handle on the driver process.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Order } from './driver-process.ts';
import type { TrafficProgress, TrafficOptions } from './traffic.ts';

export interface DriverOptions extends Omit<TrafficOptions, 'connections'> {
  /** Path of the ledger; must not exist yet. */
  file: string;
  connections?: number;
}

export interface Finished extends TrafficProgress {
  /** Commands without a definite answer after all retries. */
  unsettled: number;
}

export type Driver = Awaited<ReturnType<typeof startDriver>>;

const CONNECTIONS = 32;
const STOP_MS = 10_000;

export async function startDriver({ file, ...given }: DriverOptions) {
  const child = fork(join(import.meta.dirname, 'driver-process.ts'));
  const ended = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<any>>();
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(result);
    else one?.reject(new Error(`the driver: ${error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the driver ended (${signal ?? code})`));
    ended.resolve();
  });
  let asked = 0;
  const ask = <Result = void>(order: Order): Promise<Result> => {
    const answer = Promise.withResolvers<any>();
    waiting.set(++asked, answer);
    child.send({ id: asked, order }, (error) => {
      if (error) answer.reject(error);
    });
    return answer.promise;
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended.promise;
    clearTimeout(timer);
  };
  try {
    await ask({ do: 'start', file, options: { connections: CONNECTIONS, ...given } });
  } catch (error) {
    await stop();
    throw error;
  }
  const driver = {
    /** Resolves once no request is in flight and the file is flushed; unanswered commands stay unanswered. */
    pause: () => ask({ do: 'pause' }),
    resume: () => ask({ do: 'resume' }),
    /**
     * While paused: resends every command with an unknown outcome until it has a definite answer; returns how many have
     * none.
     */
    settle: () => ask<number>({ do: 'settle' }),
    progress: () => ask<TrafficProgress>({ do: 'progress' }),
    /** Writes a remark into the ledger, such as what was just killed. */
    note: (text: string) => ask({ do: 'note', text }),
    /** Pauses, settles and ends. */
    async finish(): Promise<Finished> {
      await driver.pause();
      const unsettled = await driver.settle();
      const progress = await driver.progress();
      await ask({ do: 'end' });
      await stop();
      return { ...progress, unsettled };
    },
    /** Ends without settling. */
    stop,
  };
  return driver;
}
