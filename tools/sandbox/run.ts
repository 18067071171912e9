// Assembles the sandbox, serves until a signal, and shuts it down.
import { once } from 'node:events';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../src/platform/config/config.ts';
import { createLogger } from '../../src/platform/log/log.ts';
import { newOneTimePassword } from '../../src/platform/passwords/passwords.ts';
import { openSecrets } from '../../src/platform/secrets/secret.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/server.ts';
import { createFront } from './front.ts';
import { House } from './house.ts';
import { exportsFor } from './page.ts';
import { TEST_CHANNELS } from './seed-data.ts';

const STOP_SWEEP_MS = 50;

/** The password is generated once, and is the same after every reset. */
async function consolePassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'console-password');
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${newOneTimePassword()}\n`, { mode: 0o600, flush: true });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
  return (await readFile(file, 'utf8')).trim();
}

function welcome(origin: string, config: Config, password: string): string {
  const base = config.public_url ?? origin;
  return [
    'The sandbox is ready.',
    `  channel API  ${base}/api/v1`,
    `  inspector    ${base}/sandbox`,
    `  try it       ${base}/sandbox/try`,
    `  reset        curl -X POST -H 'X-Api-Key: TEST_KEY' ${base}/sandbox/reset`,
    `  console      ${base}/console/`,
    '  e-mail       admin@localhost',
    `  password     ${password}`,
    '',
    'Test keys, the same after every reset:',
    ...TEST_CHANNELS.map(({ api_key, name }, index) => `  channel ${index + 1}  ${api_key}  ${name}`),
    '',
    'For the examples of docs/channels:',
    ...exportsFor(`${base}/api/v1`).map((line) => `  ${line}`),
  ].join('\n');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

async function serve(house: House, config: Config, password: string, stopping: AbortSignal): Promise<void> {
  const front = createFront(house, config);
  front.listen(config.port, config.host);
  await once(front, 'listening');
  const { address, port, family } = front.address() as AddressInfo;
  console.log(welcome(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, config, password));
  if (!stopping.aborted) await once(stopping, 'abort');
  const sweeping = setInterval(() => front.closeIdleConnections(), STOP_SWEEP_MS);
  const closed = once(front, 'close');
  front.close();
  await house.close();
  await closed;
  clearInterval(sweeping);
}

/** The first start takes half a minute. On standard error, so that the output stays the welcome alone. */
const tell = (step: string): void => {
  process.stderr.write(`${step}\n`);
};

export async function runSandbox(config: Config): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const logger = createLogger(config.log_level, { time: config.log_time });
  const log = { info: () => {}, warn: (message: string) => logger.warn(message) };
  tell('starting the database…');
  const server = await startEmbedded({ dataDir: config.data_dir, log, signal: stopping.signal });
  try {
    const secret = await openSecrets(config, async () => false);
    const password = await consolePassword(config.data_dir);
    // Clients on this machine may let the sandbox call servers on this machine.
    const allow_private_channel_urls = config.allow_private_channel_urls || isLoopback(config.host);
    const outside = { ...config, allow_private_channel_urls };
    const inside = { ...outside, host: '127.0.0.1', port: 0 };
    const house = await House.open({ config: inside, server, secret, password, logger, tell });
    try {
      await serve(house, outside, password, stopping.signal);
    } finally {
      await house.close();
    }
  } finally {
    await server.stop();
  }
}
