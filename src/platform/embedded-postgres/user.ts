import { execFile } from 'node:child_process';
import { chmod, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedStartError } from './report.ts';

/** PostgreSQL refuses to run as root, so root starts its processes as this user. */
export interface RunAs {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

interface Permissions {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];
const READ = 4;
const EXECUTE = 1;

/** null: PostgreSQL runs as the current user. An existing database is run by its owner. */
export async function chooseUser(databaseDir: string): Promise<RunAs | null> {
  if (process.getuid?.() !== 0) return null;
  const existing = await stat(databaseDir).catch(() => null);
  if (existing !== null && existing.uid !== 0) {
    return { name: `user ${existing.uid}`, uid: existing.uid, gid: existing.gid };
  }
  for (const name of CANDIDATES) {
    const user = await findUser(name);
    if (user !== null) return user;
  }
  throw new EmbeddedStartError(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it; start Sluice as an ordinary user',
  );
}

async function findUser(name: string): Promise<RunAs | null> {
  if (process.platform === 'linux') {
    const line = (await readFile('/etc/passwd', 'utf8'))
      .split('\n')
      .find((row) => row.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid === undefined || gid === undefined ? null : { name, uid: Number(uid), gid: Number(gid) };
  }
  try {
    const run = promisify(execFile);
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/** Options of spawn; -2, macOS's nobody, is an unsigned number elsewhere. */
export function spawnAs(user: RunAs | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid | 0, gid: user.gid | 0 };
}

/** The user may pass every directory above the path. */
export async function canReach(path: string, user: RunAs): Promise<boolean> {
  for (let dir = dirname(await realpath(path)); ; dir = dirname(dir)) {
    if (!permits(await stat(dir), user, EXECUTE)) return false;
    if (dir === dirname(dir)) return true;
  }
}

/** Makes the data directory passable for the user; the directories above it are left unchanged. */
export async function admits(dataDir: string, user: RunAs): Promise<boolean> {
  if (!(await canReach(dataDir, user))) return false;
  if (await canEnter(dataDir, user)) return true;
  await chmod(dataDir, ((await stat(dataDir)).mode & 0o777) | 0o011).catch(() => undefined);
  return canEnter(dataDir, user);
}

async function canEnter(dir: string, user: RunAs): Promise<boolean> {
  return permits(await stat(dir), user, EXECUTE);
}

export async function canReadAndExecute(path: string, user: RunAs): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && permits(found, user, READ | EXECUTE);
}

/** Node drops supplementary groups with root privileges, so only owner, one group and others count. */
function permits(found: Permissions, user: RunAs, bits: number): boolean {
  const shift = found.uid === user.uid ? 6 : found.gid === user.gid ? 3 : 0;
  return ((found.mode >> shift) & bits) === bits;
}
