// One service per data directory: the owner holds an advisory lock in the database server. The server releases it as
// soon as the owner's connection ends, even if the owner was killed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { PidFile } from './process.ts';
import { isAlive, isServerOn, readPidFile, stopServerOn } from './process.ts';
import type { Log } from './report.ts';
import { EmbeddedStartError, errorCode } from './report.ts';

/** "Sluice" in ASCII. */
const OWNER_LOCK = '91717398422373';
const CONNECT_TIMEOUT_MS = 5_000;
const POLL_MS = 50;
/** The backend of a killed owner notices the closed socket as soon as it is scheduled. */
const LOCK_PATIENCE_MS = 2_000;
/** Time for the process that started a server to take the lock. */
const STARTUP_GRACE_MS = 3_000;
const ANSWER_TIMEOUT_MS = 30_000;

export interface Cluster {
  readonly dataDir: string;
  readonly dir: string;
  readonly password: string;
  readonly log: Log;
}

export interface Ownership {
  readonly client: Client;
  /** The connection, and with it the lock, is lost. */
  readonly lost: Promise<void>;
}

export async function connect(cluster: Cluster, port: number): Promise<Ownership> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: cluster.password,
    database: 'postgres',
    ssl: false,
    application_name: `sluice owner ${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Longer than a connection may take: it also creates the database, and a busy machine is slow at that.
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  });
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('error', () => undefined); // reported by `lost`
  await client.connect();
  return { client, lost };
}

export async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    OWNER_LOCK,
  ]);
  return rows[0]?.taken === true;
}

export async function ownedByAnother(cluster: Cluster, client: Client): Promise<EmbeddedStartError> {
  const name = (await holderOf(client)) ?? '';
  const pid = /^sluice owner (\d+)$/.exec(name)?.[1];
  const who = pid === undefined ? '' : ` (process ${pid})`;
  return new EmbeddedStartError(
    `another Sluice${who} is already running on ${cluster.dataDir}; stop it or choose another SLUICE_DATA_DIR`,
  );
}

async function holderOf(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and (l.classid::bigint << 32 | l.objid::bigint) = $1`,
    [OWNER_LOCK],
  );
  return rows[0]?.application_name;
}

/**
 * Prepares for starting a server: stops an orphaned one, removes a stale pid file, or fails if the server has an owner.
 */
export async function settlePrevious(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const previous = await readPidFile(cluster.dir);
  if (previous === null) return;
  if (await isServerOn(previous.pid, cluster.dir)) {
    await takeOver(cluster, previous, signal);
  } else if (previous.pid === 0 || isAlive(previous.pid)) {
    await removeStalePidFile(cluster, previous, signal);
  } // PostgreSQL removes the pid file of a process that has ended
}

/** The pid now belongs to another program, and PostgreSQL would refuse to start. */
async function removeStalePidFile(cluster: Cluster, stale: PidFile, signal: AbortSignal): Promise<void> {
  if (stale.pid === 0) await delay(1_000, undefined, { signal }); // another process may be writing it
  const now = await readPidFile(cluster.dir);
  if (now === null || now.text !== stale.text || (await isServerOn(now.pid, cluster.dir))) return;
  cluster.log.info(`removing a stale PostgreSQL pid file`);
  await rm(join(cluster.dir, 'postmaster.pid'), { force: true });
}

async function takeOver(cluster: Cluster, previous: PidFile, signal: AbortSignal): Promise<void> {
  const orphan = await lockOrphan(cluster, previous, signal);
  if (orphan === null) return; // it has ended meanwhile
  cluster.log.info(
    `the database server of a Sluice that was killed is still running (process ${previous.pid}): restarting it`,
  );
  const stopped = await stopServerOn(cluster.dir, previous.pid);
  await orphan.client.end().catch(() => undefined);
  if (!stopped) {
    throw new EmbeddedStartError(
      `the database server in ${cluster.dir} (process ${previous.pid}) has no owner but does not stop; end it and start again`,
    );
  }
}

/** Takes the lock of a running server without an owner; null: the server ended meanwhile. */
async function lockOrphan(
  cluster: Cluster,
  previous: PidFile,
  signal: AbortSignal,
): Promise<Ownership | null> {
  const answerDeadline = Date.now() + ANSWER_TIMEOUT_MS;
  let ownedDeadline = Number.POSITIVE_INFINITY;
  while (await isServerOn(previous.pid, cluster.dir)) {
    const found = await probe(cluster, previous);
    if (found.kind === 'orphan') return found.ownership;
    if (found.kind === 'owned') {
      ownedDeadline = Math.min(ownedDeadline, Date.now() + LOCK_PATIENCE_MS);
      if (Date.now() >= ownedDeadline) throw found.refusal;
    }
    if (Date.now() > answerDeadline) {
      throw new EmbeddedStartError(
        `a database server (process ${previous.pid}) runs in ${cluster.dir} but does not answer; end it and start again`,
      );
    }
    await delay(POLL_MS, undefined, { signal });
  }
  return null;
}

type Probe =
  | { kind: 'orphan'; ownership: Ownership }
  | { kind: 'owned'; refusal: EmbeddedStartError }
  | { kind: 'unclear' };

async function probe(cluster: Cluster, previous: PidFile): Promise<Probe> {
  const ownership = await connectIfUp(cluster, previous);
  if (ownership === null) return { kind: 'unclear' };
  const { client } = ownership;
  try {
    const newborn = Date.now() - previous.started_at_ms < STARTUP_GRACE_MS;
    if (!newborn && (await tryLock(client))) return { kind: 'orphan', ownership };
    const owned = (await holderOf(client)) !== undefined;
    const found: Probe = owned
      ? { kind: 'owned', refusal: await ownedByAnother(cluster, client) }
      : { kind: 'unclear' };
    await client.end();
    return found;
  } catch {
    // Another process holds the lock and is stopping the server.
    await client.end().catch(() => undefined);
    return { kind: 'unclear' };
  }
}

/** null while the server starts or stops. */
async function connectIfUp(cluster: Cluster, previous: PidFile): Promise<Ownership | null> {
  let ownership: Ownership;
  try {
    ownership = await connect(cluster, previous.port);
  } catch (error) {
    if (errorCode(error) !== '28P01') return null;
    throw new EmbeddedStartError(
      `a database server (process ${previous.pid}) runs in ${cluster.dir} but does not accept the password in ${cluster.dataDir}`,
      { cause: error },
    );
  }
  const pid = await postmasterOf(ownership.client).catch(() => null);
  if (pid === previous.pid) return ownership;
  await ownership.client.end().catch(() => undefined);
  return null;
}

async function postmasterOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  return rows[0]?.pid;
}
