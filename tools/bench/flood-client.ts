// A thread that sends many requests at once, each on its own connection, and discards the responses. It runs beside the
// measuring thread, so that reading the responses does not delay the measurement.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Wanted {
  port: number;
  /** Complete HTTP requests with `connection: close`. */
  requests: readonly string[];
}

export interface Flood {
  /** Sends all requests. Resolves to the number of responses with status 200 when all connections are closed. */
  send: () => Promise<number>;
}

/** Opens the connections. */
export async function openFlood(wanted: Wanted): Promise<Flood> {
  const worker = new Worker(new URL(import.meta.url), { workerData: wanted });
  await once(worker, 'message');
  return {
    async send() {
      const answered = once(worker, 'message') as Promise<[number]>;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
      worker.postMessage('send');
      const [count] = await answered;
      await worker.terminate();
      return count;
    },
  };
}

async function flood({ port, requests }: Wanted): Promise<void> {
  const sockets = await Promise.all(
    requests.map(async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
  parentPort?.postMessage('ready');
  if (parentPort) await once(parentPort, 'message');
  const statuses = await Promise.all(sockets.map((socket, index) => exchange(socket, requests[index] ?? '')));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
  parentPort?.postMessage(statuses.filter((status) => status === 200).length);
}

async function exchange(socket: Socket, request: string): Promise<number> {
  let status = 0;
  socket.on('data', (chunk: Buffer) => (status ||= Number(chunk.toString('latin1', 9, 12))));
  socket.on('error', () => {});
  socket.write(request);
  await once(socket, 'close');
  return status;
}

if (!isMainThread) await flood(workerData as Wanted);
