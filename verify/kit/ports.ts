// A port for a program that has to be told one.
import { createServer } from 'node:net';

// Below the range the system takes ports from, for whoever asks for any: it gives ours to nobody between our look
// and the program's start, and who knocks there meanwhile cannot connect to itself.
const PORT_MIN = 12_000;
const PORT_MAX = 19_999;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1));
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
