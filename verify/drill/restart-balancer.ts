// HAProxy in front of the processes, as docs/operations.md configures it.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unpackHaproxy } from './failover/packages.ts';

const OPERATIONS = fileURLToPath(new URL('../../docs/operations.md', import.meta.url));
const STATE_MS_MAX = 30_000;
const LOOK_MS = 50;

interface Ports {
  balancer: number;
  statistics: number;
  services: readonly number[];
}

export interface Balancer {
  origin: string;
  /** Resolves once HAProxy sends requests to the server of this place. */
  seesUp(place: number): Promise<void>;
  /** Requests that each server has got, in the order of their places. */
  requests(): Promise<number[]>;
  stop(): Promise<void>;
}

/** The documented backend with the drill's addresses, and the least around it. */
export function balancerConfiguration(operations: string, ports: Ports): string {
  const documented = /^backend sluice\n(?: {2}.+\n)+/m.exec(operations)?.[0];
  if (documented === undefined) throw new Error('docs/operations.md shows no "backend sluice" for HAProxy');
  let place = 0;
  const backend = documented.replace(/^( {2}server \w+) \S+/gm, (_line, server: string) => {
    const port = ports.services[place++];
    return `${server} 127.0.0.1:${port}`;
  });
  if (place !== ports.services.length) throw new Error(`docs/operations.md shows ${place} servers`);
  return `\
global
  maxconn 1000

defaults
  mode http
  timeout client 60s

frontend drill
  bind 127.0.0.1:${ports.balancer}
  default_backend sluice

frontend statistics
  bind 127.0.0.1:${ports.statistics}
  stats enable
  stats uri /

${backend}`;
}

export async function startBalancer(dir: string, ports: Ports): Promise<Balancer> {
  const { haproxy, env } = await unpackHaproxy(dir);
  const file = join(dir, 'haproxy.cfg');
  await writeFile(file, balancerConfiguration(await readFile(OPERATIONS, 'utf8'), ports));
  // In a group of its own: Ctrl-C ends the drill, which ends it last.
  const child = spawn(haproxy, ['-db', '-f', file], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const servers = async (): Promise<Record<string, string>[]> => {
    const answer = await fetch(`http://127.0.0.1:${ports.statistics}/;csv`).catch(() => null);
    return answer === null ? [] : serversIn(await answer.text());
  };
  return {
    origin: `http://127.0.0.1:${ports.balancer}`,
    async seesUp(place) {
      for (const deadline = Date.now() + STATE_MS_MAX; ; await sleep(LOOK_MS)) {
        // "UP 1/2" is on its way down.
        if ((await servers())[place]?.['status'] === 'UP') return;
        if (Date.now() > deadline || child.exitCode !== null)
          throw new Error(`HAProxy does not see server ${place + 1} up:\n${said}`);
      }
    },
    requests: async () => (await servers()).map((server) => Number(server['stot'])),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The servers of the backend in HAProxy's statistics. */
const serversIn = (csv: string): Record<string, string>[] => {
  const [head = '', ...lines] = csv.replace(/^# /, '').trim().split('\n');
  const names = head.split(',');
  return lines
    .map((line) => Object.fromEntries(line.split(',').map((value, at) => [names[at], value])))
    .filter((row) => row['pxname'] === 'sluice' && row['svname'] !== 'BACKEND');
};
