// A TCP proxy between the service and PostgreSQL that can lose a connection at a chosen protocol message.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export type Fault =
  /** the message never reaches the server; the connection breaks */
  | 'before'
  /** the server gets it and answers, but the answer never arrives */
  | 'after';

export interface Proxy {
  /** The database's address, through the proxy. */
  url: string;
  /** Arms one fault: the next time `text` passes towards the server. Resolves once it has struck. */
  breakAt(text: string, fault: Fault): Promise<void>;
  /** Refuses new connections and cuts the open ones until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Long enough for the server to act on what it was sent, on a busy machine too. */
const SERVER_ACTS_MS = 300;

export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let armed: { text: string; fault: Fault; struck: () => void } | null = null;

  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream];
    const end = () => pair.forEach((socket) => socket.destroy());
    let muted = false;
    for (const socket of pair) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    upstream.on('data', (chunk) => {
      if (!muted) client.write(chunk);
    });
    client.on('data', (chunk) => {
      if (!armed || !chunk.includes(armed.text)) {
        upstream.write(chunk);
        return;
      }
      const { fault, struck } = armed;
      armed = null;
      if (fault === 'before') {
        end();
        struck();
        return;
      }
      muted = true;
      upstream.write(chunk);
      setTimeout(() => {
        end();
        struck();
      }, SERVER_ACTS_MS);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    breakAt: (text, fault) =>
      new Promise((struck) => {
        armed = { text, fault, struck };
      }),
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore: () => {
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
