// A TCP proxy around a node. When closed, it behaves like a network that drops packets: nothing arrives in either
// direction, no connection is closed, and data sent meanwhile is delivered when it reopens.
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../kit/ports.ts';

export type Wall = Awaited<ReturnType<typeof startWall>>;

export async function startWall(targetPort: number) {
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  let closed = false;
  let lost: string | null = null;

  const join = (client: Socket): void => {
    const upstream = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (lost !== null && from === client && String(chunk).startsWith(lost)) return;
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!closed) from.resume();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.end();
      });
    }
    if (closed) [client, upstream].forEach((socket) => socket.pause());
  };

  const server = createServer((client) => {
    if (!closed) {
      join(client);
      return;
    }
    // The client is connected when the wall opens, unless it disconnects before: like a handshake without a
    // response.
    sockets.add(client);
    const enter = () => join(client);
    held.add(enter);
    client.on('error', () => {});
    client.on('close', () => {
      held.delete(enter);
      sockets.delete(client);
    });
  });
  const port = await listen(server);

  return {
    port,
    close() {
      closed = true;
      for (const socket of sockets) socket.pause();
    },
    open() {
      closed = false;
      for (const socket of sockets) socket.resume();
      for (const enter of held) enter();
      held.clear();
    },
    /**
     * Drops messages to the node that start with this text, without an answer and without closing the connection.
     * null: drops none.
     */
    lose(beginning: string | null) {
      lost = beginning;
    },
    remove: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
