// A port for a program that has to be told one.
import { createServer } from 'node:net';

// Below the range the system takes ports from, for whoever asks for any: it gives ours to nobody between our look
// and the program's start, and who knocks there meanwhile cannot connect to itself.
const PORT_MIN = 12_000;
const PORT_MAX = 19_999;

// Each process takes one after the other from a random place on: it never gives one port to two programs, of which the
// first has not yet bound it.
let next = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));

export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port === PORT_MAX ? PORT_MIN : port + 1;
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
