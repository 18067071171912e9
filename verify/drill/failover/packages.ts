// Debian packages are unpacked into a directory of the drill instead of installed: nothing on the system changes, none of
// their services starts, and removing the directory removes them.
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CannotRun } from '../../kit/command-line.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const PACKAGES = ['patroni', 'python3-etcd', 'etcd-server', 'haproxy', 'postgresql'];

class PackagesMissing extends CannotRun {
  constructor(reason: string) {
    super(`The drill needs Debian's packages: ${reason}`);
  }
}

export type Programs = Awaited<ReturnType<typeof unpackPrograms>>;

export async function unpackProgram(
  dir: string,
  name: string,
  place: string,
  file: string,
): Promise<{ program: string; env: Readonly<Record<string, string>> }> {
  const root = await unpack(dir, [name]);
  return { program: await find(root, place, file), env: await librariesOf(root) };
}

/** Downloads the packages and dependencies that are not installed on this system. */
async function unpack(dir: string, packages: readonly string[]): Promise<string> {
  const archives = join(dir, 'archives');
  const root = join(dir, 'root');
  await mkdir(join(archives, 'partial'), { recursive: true });
  await mkdir(root);
  await download(dir, archives, packages);
  for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
    await run('dpkg-deb', ['-x', join(archives, name), root]);
  }
  return root;
}

async function download(dir: string, archives: string, packages: readonly string[]): Promise<void> {
  const settings = [
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
    `Dir::Cache::archives=${archives}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
  ];
  const options = (more: readonly string[]): string[] => [...settings, ...more].flatMap((one) => ['-o', one]);
  const fetchAll = (more: readonly string[] = []) =>
    apt([...options(more), '--yes', '--no-install-recommends', '--download-only', 'install', ...packages]);
  const known = await fetchAll().then(
    () => true,
    (error: unknown) => {
      if (error instanceof PackagesMissing) throw error;
      return false;
    },
  );
  if (known) return;
  // The system's package lists are missing or outdated; download our own, which are removed with the directory.
  const lists = [`Dir::State::lists=${join(dir, 'lists')}`];
  await mkdir(join(dir, 'lists', 'partial'), { recursive: true });
  try {
    await apt([...options(lists), 'update']);
    await fetchAll(lists);
  } catch (error) {
    throw new PackagesMissing(`apt-get could not get ${packages.join(', ')}. ${lastLine(error)}`);
  }
}

async function apt(args: readonly string[]): Promise<void> {
  try {
    await run('apt-get', args, {
      maxBuffer: OUTPUT_BYTES_MAX,
      env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new PackagesMissing('apt-get was not found; run the drill on Debian or a derived system.');
  }
}

const lastLine = (error: unknown): string =>
  String((error as { stderr?: string }).stderr ?? error)
    .trim()
    .split('\n')
    .at(-1) ?? '';

const entriesOf = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

async function find(root: string, dir: string, name: string): Promise<string> {
  for (const place of [join(root, dir), dir]) {
    if ((await entriesOf(place)).includes(name)) return join(place, name);
  }
  throw new PackagesMissing(`${name} is not in them.`);
}

async function librariesOf(root: string): Promise<{ LD_LIBRARY_PATH: string }> {
  const libraries = (await entriesOf(join(root, 'usr/lib'))).filter((name) => name.includes('-linux-gnu'));
  return { LD_LIBRARY_PATH: libraries.map((name) => join(root, 'usr/lib', name)).join(':') };
}

export async function unpackPrograms(dir: string) {
  const root = await unpack(dir, PACKAGES);
  const versions = async (place: string): Promise<string[]> =>
    (await entriesOf(place)).filter((name) => /^\d+$/.test(name)).map((name) => join(place, name, 'bin'));
  const servers = [
    ...(await versions('/usr/lib/postgresql')),
    ...(await versions(join(root, 'usr/lib/postgresql'))),
  ];
  const postgresDir = servers.at(-1);
  if (postgresDir === undefined) throw new PackagesMissing('no PostgreSQL server is in them.');
  return {
    python: await find(root, '/usr/bin', 'python3'),
    patroni: await find(root, '/usr/bin', 'patroni'),
    etcd: await find(root, '/usr/bin', 'etcd'),
    haproxy: await find(root, '/usr/sbin', 'haproxy'),
    /** initdb, postgres, pg_basebackup, pg_rewind … */
    postgres_dir: postgresDir,
    /** Environment variables with which the programs find their unpacked libraries. */
    env: {
      PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...(await librariesOf(root)),
      // etcd refuses to start on architectures other than amd64 without this variable.
      ETCD_UNSUPPORTED_ARCH: process.arch,
    },
  };
}
