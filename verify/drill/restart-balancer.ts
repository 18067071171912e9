// A load balancer in front of the processes, configured from deploy/proxies/.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../kit/until.ts';
import { unpackProgram } from './failover/packages.ts';

const PROXIES = fileURLToPath(new URL('../../deploy/proxies/', import.meta.url));
/** Longer than any of the balancers needs to detect that a process is ready again. */
const SEEN_MS = 4_000;
const READY_MS_MAX = 60_000;

interface Kind {
  file: string;
  /** The addresses of the processes in the file. */
  addresses: readonly string[];
  /** Debian package, directory of the program, and program. */
  program: readonly [name: string, dir: string, file: string];
  /** Differences from the shipped configuration besides the addresses: no TLS, loopback only. */
  changes: (front: string) => readonly (readonly [from: RegExp, to: string])[];
  args: (file: string, dir: string) => string[];
}

const PAIR = ['10.0.0.1:8080', '10.0.0.2:8080'];
const withoutTls = (front: string) => [
  [
    /^(?:\{\$SLUICE_DOMAIN:)?sluice\.example\.com\}? \{/m,
    `{\n\tadmin off\n\tauto_https off\n}\n\nhttp://${front} {\n\tbind 127.0.0.1\n`,
  ] as const,
];
const caddy = {
  program: ['caddy', '/usr/bin', 'caddy'],
  changes: withoutTls,
  args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
} as const;

export const BALANCERS = {
  haproxy: {
    file: 'haproxy.cfg',
    addresses: PAIR,
    program: ['haproxy', '/usr/sbin', 'haproxy'],
    changes: (front) => [[/bind :443 ssl .*/, `bind ${front}`]],
    args: (file) => ['-db', '-f', file],
  },
  nginx: {
    file: 'nginx.conf',
    addresses: PAIR,
    program: ['nginx-light', '/usr/sbin', 'nginx'],
    changes: (front) => [
      [/listen 443 ssl;/, `listen ${front};\n    access_log off;`],
      [/ +ssl_certificate .*\n/, ''],
      [/ +ssl_certificate_key .*\n/, ''],
      [
        /^http \{\n/m,
        `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${name};\n`).join('')}`,
      ],
    ],
    args: (file, dir) => ['-p', dir, '-e', 'stderr', '-c', file, '-g', `daemon off; pid ${dir}/nginx.pid;`],
  },
  caddy: { file: 'Caddyfile', addresses: PAIR, ...caddy },
  'caddy-single': { file: 'Caddyfile.single', addresses: ['127.0.0.1:8080'], ...caddy },
} as const satisfies Record<string, Kind>;

export type BalancerName = keyof typeof BALANCERS;

interface Ports {
  balancer: number;
  services: readonly number[];
}

export interface Balancer {
  origin: string;
  /** Resolves once the balancer sends requests to a process that has just become ready. */
  seesUp(): Promise<void>;
  stop(): Promise<unknown>;
}

/** The file from deploy/proxies/ with the drill's addresses. */
export function balancerConfiguration(name: BalancerName, text: string, ports: Ports): string {
  const { file, addresses: given, changes }: Kind = BALANCERS[name];
  const addresses = given.map(
    (address, place) =>
      [
        new RegExp(`\\b${address.replaceAll('.', String.raw`\.`)}\\b`),
        `127.0.0.1:${ports.services[place]}`,
      ] as const,
  );
  return [...addresses, ...changes(`127.0.0.1:${ports.balancer}`)].reduce((now, [from, to]) => {
    if (!from.test(now)) throw new Error(`deploy/proxies/${file} has no ${from.source}`);
    return now.replace(from, to);
  }, text);
}

export async function startBalancer(name: BalancerName, dir: string, ports: Ports): Promise<Balancer> {
  const kind: Kind = BALANCERS[name];
  const home = join(dir, name);
  await mkdir(home);
  const { program, env } = await unpackProgram(home, ...kind.program);
  const file = join(home, kind.file);
  const text = await readFile(join(PROXIES, kind.file), 'utf8');
  await writeFile(file, balancerConfiguration(name, text, ports));
  // In its own process group: Ctrl-C reaches only the drill, which stops the balancer last.
  const child = spawn(program, kind.args(file, home), {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = once(child, 'close');
  const origin = `http://127.0.0.1:${ports.balancer}`;
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${name} ended:\n${said}`);
    return (await fetch(`${origin}/readyz`).catch(() => null))?.status === 200;
  };
  await until(isUp, `${name} answers`, READY_MS_MAX);
  return {
    origin,
    seesUp: () => sleep(SEEN_MS),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
