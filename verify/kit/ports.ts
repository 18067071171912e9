// Ports of loopback: for a server of this process, and for a program that cannot choose one itself.
import { createServer, type AddressInfo, type Server } from 'node:net';

// Below the ephemeral port range: the system assigns these ports to no other socket before the program has started, and a
// client that connects too early cannot connect to itself.
const PORT_MIN = 12_000;
const PORT_MAX = 19_999;

// Each process takes consecutive ports from a random start, so it never gives a port to two programs before the first has
// bound it.
let next = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));

export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port === PORT_MAX ? PORT_MIN : port + 1;
    if (await isFree(port)) return port;
  }
}

/** Returns the port. */
export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
