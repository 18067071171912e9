// The embedded database from the command line: whoever runs it already is joined, otherwise it is started.
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { enter, leaveLast } from '../store/command-line.ts';
import { serverOn } from '../store/embedded/process.ts';
import { addressesOf, SERVICE_ROLE, type Addresses } from '../store/embedded/roles.ts';
import { EmbeddedStartError, startEmbedded } from '../store/embedded/server.ts';
import { migrate } from '../store/migrations.ts';
import { Failure } from './command.ts';
import { note } from './output.ts';

/** A service that is just starting or stopping needs a moment before it can be joined or replaced. */
const JOIN_PATIENCE_MS = 20_000;
/** Other commands that joined the server which this one started. */
const LEAVE_PATIENCE_MS = 60_000;
const POLL_MS = 100;

export interface Server {
  readonly url: string;
  readonly embedded: boolean;
  /** The role that owns the schema. */
  readonly ownerUrl: string;
  /** Which role serves; null: the owner does. */
  serviceRole(): Promise<string | null>;
  /** The names of what was missing. */
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
      : { server: embeddedAt(running, () => entered.leave()) };
  }
  try {
    return { server: await start(dataDir) };
  } catch (error) {
    // Somebody else was quicker: the next round joins that server.
    if (error instanceof EmbeddedStartError && (await runningAddresses(dataDir)) !== null) {
      return { reason: error.message };
    }
    throw error;
  }
}

const embeddedAt = ({ url, ownerUrl }: Addresses, stop: () => Promise<void>): Server => ({
  url,
  embedded: true,
  ownerUrl,
  serviceRole: async () => SERVICE_ROLE,
  migrate: () => migrate(ownerUrl, SERVICE_ROLE),
  stop,
});

/** Of the server that runs on the data directory; null when none does. */
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
  // A second command may have joined meanwhile; the server it works on must not go away under it.
  return embeddedAt(server, () => leaveLast(server.url, LEAVE_PATIENCE_MS, () => server.stop()));
}
