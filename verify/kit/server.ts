// A separate PostgreSQL server, for tests that would disturb others on the shared one.
import { mkdtemp, realpath, rm, stat, chown, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binariesFor, findBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import {
  serverOn,
  spawnServer,
  stopServer,
  type ServerProcess,
} from '../../src/platform/embedded-postgres/process.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/server.ts';
import { chooseUser } from '../../src/platform/embedded-postgres/user.ts';
import { startMigrated } from './cluster.ts';
import { databaseOf } from './database.ts';

const LOG = { info: () => {}, warn: () => {} };
const SETTINGS = { shared_buffers: '32MB', fsync: 'off' };

/** `prepare` gets the data directory before the server starts, to move parts of it elsewhere. */
export async function startOwnServer(
  settings: Record<string, string> = {},
  prepare?: (databaseDir: string) => Promise<void>,
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-adverse-'));
  const options = { dataDir, log: LOG, settings: { ...SETTINGS, ...settings } };
  let server = await startMigrated(options);
  if (prepare) {
    await server.stop();
    await prepare(await realpath(join(dataDir, 'postgres')));
    server = await startEmbedded(options);
  }
  const port = new URL(server.url).port;
  let again: ServerProcess | null = null;
  const shutDown = async (): Promise<void> => {
    await server.stop();
    if (again) await stopServer(again);
    again = null;
  };
  return {
    dataDir,
    /** Its database `sluice`, migrated. */
    database: databaseOf(server),
    /** Restarts it at the same address as a standby that waits for a primary's WAL. */
    async becomeStandby() {
      await shutDown();
      again = await startAt(dataDir, port, 'standby');
    },
    /** A fast shutdown; `startAgain` restarts it at the same address. */
    shutDown,
    async startAgain() {
      again = await startAt(dataDir, port);
    },
    /** `kill -9` of the server, then a restart at the same address, as the service does with its embedded server. */
    async kill() {
      const running = await serverOn(await realpath(join(dataDir, 'postgres')));
      if (running === null) throw new Error('the server is not running');
      process.kill(running.pid, 'SIGKILL');
    },
    async remove() {
      await shutDown();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startAt(
  dataDir: string,
  port: string,
  role: 'primary' | 'standby' = 'primary',
): Promise<ServerProcess> {
  const link = join(dataDir, 'postgres');
  const dir = await realpath(link);
  const user = await chooseUser(link);
  const { home } = await binariesFor(await findBinaries(), user, LOG);
  if (role === 'standby') {
    const signal = join(dir, 'standby.signal');
    await writeFile(signal, '');
    const { uid, gid } = await stat(dir);
    await chown(signal, uid, gid);
  }
  return spawnServer({
    program: join(home, 'bin', 'postgres'),
    dir,
    user,
    isReachable: true,
    settings: { ...SETTINGS, port, listen_addresses: '127.0.0.1', unix_socket_directories: '' },
    logFile: join(dataDir, 'postgres.log'),
  });
}
