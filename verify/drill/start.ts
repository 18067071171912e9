// `npm run drill:start`: the first command on a fresh clone, with common versions of Node and npm, as root and as an
// ordinary user. Node and npm come from the registry; nothing outside a temporary directory is changed.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { optionsOf, runCommand, someOf, yes } from '../kit/command-line.ts';
import { spawnService } from '../kit/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 300_000;
const STOP_MS = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const ORDINARY_USER = 'nobody';

const NODES = ['18', '20', '22', '24'];
const NPMS = ['9', '10', '11', '12'];
/** The oldest Node that each npm supports, from its `engines`. */
const NODE_MIN: Record<string, number> = { 9: 18, 10: 18, 11: 20, 12: 22 };
const isPossible = (node: string, npm: string): boolean => Number(node) >= (NODE_MIN[npm] ?? 0);

const HELP = `npm run drill:start [-- --node 18,22 --npm 10 --user root]

For each pair of Node (${NODES.join(', ')}) and npm (${NPMS.join(', ')}), as root and as "${ORDINARY_USER}": clones the last commit, runs
"npm start", waits until the service is ready, checks which Node it runs on, stops it with SIGTERM, and runs
"npm run sluice -- --version". Prints a table; exit code 1 if a cell failed. Changing the user requires root.

  --node LIST   majors of Node          --npm LIST    majors of npm
  --user NAME   "root" or "${ORDINARY_USER}"    --keep        keep the output of failed cells`;

interface Cell {
  node: string;
  npm: string;
  user: string;
}

interface Outcome {
  /** null: no fault. */
  fault: string | null;
  seconds: number;
  runsOn: string;
}

/** Runs a program; rejects unless it exits with 0. */
function run(
  command: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<unknown> {
  const [program = '', ...args] = command;
  return promisify(execFile)(program, args, { ...options, maxBuffer: OUTPUT_BYTES_MAX });
}

const nodePackage = `node-${process.platform}-${process.arch}`;

/**
 * Installs Node and npm from the registry into a separate directory. Returns the directory to put first in
 * PATH.
 */
async function installTools(home: string, node: string, npm: string): Promise<string> {
  const tools = join(home, `node-${node}-npm-${npm}`);
  fs.mkdirSync(join(tools, 'bin'), { recursive: true });
  fs.writeFileSync(join(tools, 'package.json'), '{}');
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--force'];
  await run(['npm', 'install', ...options, `${nodePackage}@${node}`, `npm@${npm}`], { cwd: tools });
  fs.symlinkSync(join(tools, 'node_modules', nodePackage, 'bin', 'node'), join(tools, 'bin', 'node'));
  fs.symlinkSync(join(tools, 'node_modules', 'npm', 'bin', 'npm-cli.js'), join(tools, 'bin', 'npm'));
  return join(tools, 'bin');
}

/** The Node executable that runs src/start/main.ts in the clone. Linux only; unknown elsewhere. */
function serviceNode(clone: string): string {
  if (process.platform !== 'linux') return 'unknown';
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.includes(join(clone, 'src', 'start', 'main.ts'))) return fs.readlinkSync(`/proc/${pid}/exe`);
    } catch {
      // has exited, or belongs to another user
    }
  }
  return 'not found';
}

async function tryStart(cell: Cell, home: string, bin: string, signal: AbortSignal): Promise<Outcome> {
  const started = Date.now();
  const place = join(home, `${cell.node}-${cell.npm}-${cell.user}`);
  const clone = join(place, 'sluice');
  fs.mkdirSync(place, { recursive: true });
  await run(['git', 'clone', '--quiet', '--no-hardlinks', join(home, 'source.git'), clone], { cwd: place });
  const isOther = cell.user !== userInfo().username;
  const cache = join(home, `npm-cache-${cell.user}`);
  fs.mkdirSync(cache, { recursive: true });
  if (isOther) await run(['chown', '-R', cell.user, place, cache], { cwd: home });
  const as = isOther ? ['setpriv', `--reuid=${cell.user}`, '--clear-groups'] : [];
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: place,
    SLUICE_DATA_DIR: join(place, 'data'),
    LOG_LEVEL: 'warn',
    npm_config_cache: cache,
    ...registryOf(),
  };
  const service = await spawnService(env, [...as, join(bin, 'npm'), 'start'], clone);
  signal.addEventListener('abort', () => service.signal('SIGKILL'), { once: true });
  const outcome = (fault: string | null, runsOn = ''): Outcome => {
    fs.writeFileSync(join(home, `${cell.node}-${cell.npm}-${cell.user}.log`), service.output());
    return { fault, seconds: Math.round((Date.now() - started) / 1_000), runsOn };
  };
  const isReady = await service.ready(READY_MS).catch(() => null);
  if (isReady === null) {
    service.signal('SIGKILL');
    return outcome(`not ready after ${READY_MS / 1_000} s`);
  }
  if (!isReady) {
    const { code, signal: killedBy } = await service.ended;
    return outcome(`npm start ended with ${killedBy ?? code}: ${service.output().trim().slice(-300)}`);
  }
  const exe = serviceNode(fs.realpathSync(clone));
  const page = await fetch(`${service.origin}/console/`).catch(() => null);
  const end = await service.stop(STOP_MS);
  if (end.code !== 0) return outcome(`ended with ${end.signal ?? end.code} after SIGTERM`, exe);
  if (page?.status !== 200) return outcome(`the console answered ${page?.status}`, exe);
  if (process.platform === 'linux' && !exe.includes(`/node_modules/${nodePackage}/`))
    return outcome(`the service ran on ${exe}`, exe);
  try {
    await run([...as, join(bin, 'npm'), 'run', '--silent', 'sluice', '--', '--version'], { cwd: clone, env });
  } catch (error) {
    return outcome(String(error), exe);
  }
  return outcome(null, 'pinned');
}

/** The registry that this machine uses, for a user without npm settings. */
function registryOf(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) =>
    /^npm_config_(registry|cafile|proxy|https_proxy)$/i.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

const OWN = userInfo().username;

const readOptions = optionsOf({
  node: someOf(NODES),
  npm: someOf(NPMS),
  user: someOf(OWN === 'root' ? ['root', ORDINARY_USER] : [OWN]),
  keep: yes,
});
type Options = NonNullable<ReturnType<typeof readOptions>>;

async function runCells(options: Options, home: string, signal: AbortSignal): Promise<(Cell & Outcome)[]> {
  // All cells clone the same commit from a repository that the ordinary user may read.
  await run(['git', 'clone', '--quiet', '--bare', ROOT, join(home, 'source.git')], { cwd: home });
  const rows: (Cell & Outcome)[] = [];
  for (const node of options.node) {
    for (const npm of options.npm.filter((one) => isPossible(node, one))) {
      const bin = await installTools(home, node, npm);
      for (const user of options.user) {
        signal.throwIfAborted();
        const cell = { node, npm, user };
        const outcome = await tryStart(cell, home, bin, signal).catch((error: unknown) => ({
          fault: String(error),
          seconds: 0,
          runsOn: '',
        }));
        rows.push({ ...cell, ...outcome });
        console.log(`Node ${node}, npm ${npm}, ${user}: ${outcome.fault ?? 'ok'} (${outcome.seconds} s)`);
        fs.rmSync(join(home, `${node}-${npm}-${user}`), { recursive: true, force: true });
      }
      fs.rmSync(join(bin, '..'), { recursive: true, force: true });
    }
  }
  return rows;
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'sluice-drill-start-')));
  fs.chmodSync(home, 0o755);
  let isKept = false;
  try {
    const rows = await runCells(options, home, signal);
    signal.throwIfAborted();
    console.table(rows.map(({ fault, ...row }) => ({ ...row, result: fault === null ? 'ok' : 'FAILED' })));
    const failed = rows.filter(({ fault }) => fault !== null);
    for (const { node, npm, user, fault } of failed)
      console.log(`Node ${node}, npm ${npm}, ${user}: ${fault}`);
    isKept = options.keep && failed.length > 0;
    if (isKept) console.log(`output of the failed cells: ${home}`);
    return failed.length === 0 && rows.length > 0 ? 0 : 1;
  } finally {
    if (!isKept) fs.rmSync(home, { recursive: true, force: true });
  }
}

await runCommand(HELP, readOptions, main);
