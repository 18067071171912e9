// The embedded database on the command line: joins a running server, otherwise starts one.
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { enter, leaveLast } from './command-line.ts';
import { serverOn } from '../embedded-postgres/process.ts';
import { addressesOf, SERVICE_ROLE, type Addresses } from '../embedded-postgres/roles.ts';
import { EmbeddedStartError, startEmbedded } from '../embedded-postgres/server.ts';
import { migrate } from '../database/migrations.ts';
import { Failure } from '../cli/command.ts';
import { note } from '../cli/output.ts';

/** A service that is starting or stopping needs time before its server can be joined or replaced. */
const JOIN_PATIENCE_MS = 20_000;
/** How long to wait for other commands that joined the server of this one. */
const LEAVE_PATIENCE_MS = 60_000;
const POLL_MS = 100;

export interface Server {
  readonly url: string;
  /** For messages. */
  readonly name: string;
  readonly embedded: boolean;
  /** The role that owns the schema. */
  readonly ownerUrl: string;
  /** The service's role; null: the owner. */
  serviceRole(): Promise<string | null>;
  /** Returns the names of the applied migrations. */
  migrate(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function openEmbedded(dataDir: string): Promise<Server> {
  const deadline = Date.now() + JOIN_PATIENCE_MS;
  for (;;) {
    const attempt = await joinOrStart(dataDir);
    if ('server' in attempt) return attempt.server;
    if (Date.now() >= deadline) throw new Failure(attempt.reason);
    await delay(POLL_MS);
  }
}

async function joinOrStart(dataDir: string): Promise<{ server: Server } | { reason: string }> {
  const running = await runningAddresses(dataDir);
  if (running !== null) {
    const entered = await enter(running.url);
    return typeof entered === 'string'
      ? { reason: `a database server runs on ${dataDir} but cannot be used: ${entered}` }
      : { server: embeddedAt(dataDir, running, () => entered.leave()) };
  }
  try {
    return { server: await start(dataDir) };
  } catch (error) {
    // Another process started the server first: the next round joins it.
    if (error instanceof EmbeddedStartError && (await runningAddresses(dataDir)) !== null) {
      return { reason: error.message };
    }
    throw error;
  }
}

const embeddedAt = (dataDir: string, { url, ownerUrl }: Addresses, stop: () => Promise<void>): Server => ({
  url,
  name: `in ${dataDir}`,
  embedded: true,
  ownerUrl,
  serviceRole: async () => SERVICE_ROLE,
  migrate: () => migrate(ownerUrl, SERVICE_ROLE),
  stop,
});

/** Addresses of the server that runs on the data directory; null: no server runs. */
export async function runningAddresses(dataDir: string): Promise<Addresses | null> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => null);
  const running = dir === null ? null : await serverOn(dir);
  if (running === null || running.port === 0) return null;
  const file = join(dataDir, 'postgres-password');
  const password = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`a service runs on ${dataDir}, but ${file} cannot be read (${error.code}).`);
  });
  return addressesOf(password.trim(), running.port);
}

async function start(dataDir: string): Promise<Server> {
  const server = await startEmbedded({ dataDir, log: { info: note, warn: note } });
  // Another command may have joined meanwhile; its server must not be stopped.
  return embeddedAt(dataDir, server, () => leaveLast(server.url, LEAVE_PATIENCE_MS, () => server.stop()));
}
