// `npm run drill:start`: the first command on a fresh clone, with the versions of Node and npm that people have, as root
// and as an ordinary user. Node and npm come from the registry; nothing outside a temporary directory is changed.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../kit/ports.ts';
import { FLAG, readFlags, runCommand, TEXT, UsageError } from '../kit/command-line.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 300_000;
const STOP_MS = 60_000;
const POLL_MS = 200;
const ORDINARY_USER = 'nobody';

const NODES = ['18', '20', '22', '24'];
const NPMS = ['9', '10', '11', '12'];
/** By npm's `engines`, the oldest Node that each one runs on. */
const NODE_MIN: Record<string, number> = { 9: 18, 10: 18, 11: 20, 12: 22 };
const isPossible = (node: string, npm: string): boolean => Number(node) >= (NODE_MIN[npm] ?? 0);

const HELP = `npm run drill:start [-- --node 18,22 --npm 10 --user root]

For each pair of Node (${NODES.join(', ')}) and npm (${NPMS.join(', ')}), as root and as "${ORDINARY_USER}": clones the last commit, runs
"npm start", waits until the service is ready, looks which Node it runs on, ends it with SIGTERM, and runs
"npm run sluice -- --version". Prints a table; exit code 1 when a cell failed. Users can only be changed as root.

  --node LIST   majors of Node          --npm LIST    majors of npm
  --user NAME   "root" or "${ORDINARY_USER}"    --keep        keep the output of failed cells`;

interface Cell {
  node: string;
  npm: string;
  user: string;
}

interface Outcome {
  /** null: everything went as it should. */
  fault: string | null;
  seconds: number;
  runsOn: string;
}

/** Runs a program to its end; rejects when it does not end with 0. */
function run(command: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<string> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command.join(' ')}: ${code}\n${output}`)),
    );
  });
}

const nodePackage = `node-${process.platform}-${process.arch}`;

/** Both from the registry, each into a directory of its own. Returns the directory to put first in PATH. */
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

/** The Node whose command line ends with src/main.ts, below the process. Linux only; elsewhere it stays unknown. */
function serviceNode(clone: string): string {
  if (process.platform !== 'linux') return 'unknown';
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.includes(join(clone, 'src', 'main.ts'))) return fs.readlinkSync(`/proc/${pid}/exe`);
    } catch {
      // it ended meanwhile, or belongs to somebody else
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
  const port = await freePort();
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: place,
    PORT: String(port),
    SLUICE_DATA_DIR: join(place, 'data'),
    LOG_LEVEL: 'warn',
    // No balancer here: it stops at once, although /readyz was asked.
    SLUICE_DRAIN_MS: '0',
    npm_config_cache: cache,
    ...registryOf(),
  };
  const [program, ...args] = [...as, join(bin, 'npm'), 'start'];
  const child = spawn(program, args, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)));
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, killedBy) => resolve(String(killedBy ?? code)));
  });
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // the group is gone already
    }
  };
  signal.addEventListener('abort', kill, { once: true });
  const outcome = (fault: string | null, runsOn = ''): Outcome => {
    fs.writeFileSync(join(home, `${cell.node}-${cell.npm}-${cell.user}.log`), output);
    return { fault, seconds: Math.round((Date.now() - started) / 1_000), runsOn };
  };
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.status === 200) break;
    const end = await Promise.race([ended, sleep(POLL_MS, null)]);
    if (end !== null) return outcome(`npm start ended with ${end}: ${output.trim().slice(-300)}`);
    if (Date.now() > deadline) {
      kill();
      return outcome(`not ready after ${READY_MS / 1_000} s`);
    }
  }
  const exe = serviceNode(fs.realpathSync(clone));
  const page = await fetch(`http://127.0.0.1:${port}/console/`).catch(() => null);
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  const how = await Promise.race([ended, sleep(STOP_MS, 'still running')]);
  if (how === 'still running') kill();
  if (how !== '0') return outcome(`ended with ${how} after SIGTERM`, exe);
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

/** The registry that this machine uses, also for a user without settings of his own. */
function registryOf(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) =>
    /^npm_config_(registry|cafile|proxy|https_proxy)$/i.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

interface Options {
  nodes: string[];
  npms: string[];
  users: string[];
  keep: boolean;
}

function chosen(name: string, text: string | undefined, all: readonly string[]): string[] {
  const names = text?.split(',') ?? [...all];
  const unknown = names.find((one) => !all.includes(one));
  if (unknown !== undefined) throw new UsageError(`${name} knows ${all.join(', ')}, not "${unknown}"`);
  return names;
}

/** null: help was asked for. */
function readOptions(argv: readonly string[]): Options | null {
  const values = readFlags(argv, { node: TEXT, npm: TEXT, user: TEXT, keep: FLAG, help: FLAG });
  if (values.help) return null;
  const own = userInfo().username;
  return {
    nodes: chosen('--node', values.node, NODES),
    npms: chosen('--npm', values.npm, NPMS),
    users: chosen('--user', values.user, own === 'root' ? ['root', ORDINARY_USER] : [own]),
    keep: values.keep,
  };
}

async function runCells(options: Options, home: string, signal: AbortSignal): Promise<(Cell & Outcome)[]> {
  // One commit for all cells, and one that the ordinary user may read.
  await run(['git', 'clone', '--quiet', '--bare', ROOT, join(home, 'source.git')], { cwd: home });
  const rows: (Cell & Outcome)[] = [];
  for (const node of options.nodes) {
    for (const npm of options.npms.filter((one) => isPossible(node, one))) {
      const bin = await installTools(home, node, npm);
      for (const user of options.users) {
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
    if (isKept) console.log(`what they printed: ${home}`);
    return failed.length === 0 && rows.length > 0 ? 0 : 1;
  } finally {
    if (!isKept) fs.rmSync(home, { recursive: true, force: true });
  }
}

await runCommand(HELP, readOptions, main);
