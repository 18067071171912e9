// `npm test [-- files]`: runs the whole suite, or the named files, on one real PostgreSQL server. A few processes share
// the files (test/kit/worker.ts), because starting a process and loading the modules for each file took a third of the
// run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findLeaks } from '../../verify/kit/canaries.ts';
import { globalSetup, globalTeardown } from '../../verify/kit/global-setup.ts';
import { KINDS } from '../../verify/kit/written.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const named = process.argv.slice(2);

/** More processes than cores, because tests also wait: for timeouts, and for servers that start and stop. */
const WORKERS = 4;
/** Data directories are put here if there is room: the suite tests crashes of processes, not of the machine. */
const MEMORY_DISK = '/dev/shm';
const MEMORY_DISK_FREE_BYTES_MIN = 8 * 1024 ** 3;
/** Longest first, so that no long file runs alone at the end. */
const LONGEST_FIRST = [
  'console-screens',
  'embedded',
  'console-shipping',
  'console-sign-in',
  'adverse-timeouts',
  'console-stock',
  'start',
  'demo',
  'drill-crash',
  'revocation',
  'overload-slow-clients',
  'channel-docs',
  'admin-mapping-csv',
  'fuzz-http',
  'channel-inventory-changes',
  'lost-commit',
  'secret-rotation',
  'sandbox',
  'console-orders',
  'console-newcomer',
  'console-everyday',
  'simulator',
  'backup',
  'cli-embedded',
  'database-loss',
  'console-worklists',
  'admin-sessions',
  'order-feed',
  'races',
  'search-speed',
  'stock-list-cache',
  'channel-inventory',
  'cli-import',
  'drill-network',
  'openapi',
  'overload',
  'console-allocations',
  'outage',
  'console-channel-policy',
  'console-channel-keys',
  'standby',
  'adverse-disk',
  'adverse-clock',
  'admin-unmapped',
  'hostile-channel',
].map((name) => path.join('test', `${name}.test.ts`));

function findFiles() {
  const found = fs.globSync(named.length > 0 ? named : 'test/**/*.test.ts', { cwd: root }).toSorted();
  if (found.length === 0) {
    process.stderr.write(`No such test: ${named.join(' ')}\n`);
    process.exit(1);
  }
  const first = LONGEST_FIRST.filter((file) => found.includes(file));
  return [...first, ...found.filter((file) => !first.includes(file))];
}

const files = findFiles();

function hasMemoryDisk() {
  try {
    const { bavail, bsize } = fs.statfsSync(MEMORY_DISK);
    return bavail * bsize >= MEMORY_DISK_FREE_BYTES_MIN;
  } catch {
    return false; // not Linux
  }
}

/** Browser tests are those that use the browser kit. */
const needsBrowser = () =>
  files.some((file) =>
    /\/kit\/(?:console|browser)\.ts'/.test(fs.readFileSync(path.resolve(root, file), 'utf8')),
  );

/** One browser for all; the test processes get its address, or the reason why there is none, in the environment. */
async function startBrowser() {
  if (!fs.existsSync(path.join(root, 'console', 'dist', 'index.html'))) {
    const build = path.join(root, 'tools', 'scripts', 'console-build.mjs');
    const { status } = spawnSync(process.execPath, [build], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
  const options = await ensureChromium().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  if (options) {
    const server = await launchServer(options);
    return { env: { TEST_BROWSER: server.wsEndpoint() }, close: () => server.close() };
  }
  process.stderr.write(`${process.env.CI === 'true' ? 'Error' : 'Skipped'}: ${NO_BROWSER}\n`);
  return { env: { TEST_NO_BROWSER: NO_BROWSER }, close: () => {} };
}

/** Searches logs, metrics, rows and error answers of the whole run for secrets and personal data. */
async function checkWritten(directory) {
  const leaks = await findLeaks(directory);
  for (const { file, line, what, text } of leaks) process.stderr.write(`${file}:${line}: ${what}: ${text}\n`);
  if (leaks.length > 0) {
    process.stderr.write(`The service wrote secrets or personal data, ${leaks.length} times; see above.\n`);
    return false;
  }
  const kept = fs.readdirSync(directory);
  const missing = KINDS.filter((kind) => !kept.some((file) => file.startsWith(`${kind}-`)));
  fs.rmSync(directory, { recursive: true, force: true });
  if (named.length > 0 || missing.length === 0) return true;
  process.stderr.write(`No ${missing.join(', ')} were kept, so they were not searched for secrets.\n`);
  return false;
}

/** Fails if a file was not finished because its worker exited. */
function checkDone(queue) {
  const missing = files.filter((_, index) => !fs.existsSync(path.join(queue, `${index}.done`)));
  fs.rmSync(queue, { recursive: true, force: true });
  for (const file of missing) process.stderr.write(`${file} did not finish.\n`);
  return missing.length === 0;
}

// Imported before TMPDIR changes: the browser stays in a directory that the next run finds.
const { ensureChromium, launchServer, NO_BROWSER } = await import('./chromium.mjs');
if (process.env.TMPDIR === undefined && hasMemoryDisk()) process.env.TMPDIR = MEMORY_DISK;
const written = fs.mkdtempSync(path.join(tmpdir(), 'sluice-written-'));
const queue = fs.mkdtempSync(path.join(tmpdir(), 'sluice-queue-'));
fs.writeFileSync(path.join(queue, 'files.json'), JSON.stringify(files));
const worker = pathToFileURL(path.join(root, 'test', 'kit', 'worker.ts')).href;
const workers = Array.from({ length: Math.min(WORKERS, files.length) }, (_, index) => {
  const file = path.join(queue, `worker-${index + 1}.mjs`);
  fs.writeFileSync(file, `import '${worker}';\n`);
  return file;
});
process.env.TEST_WRITTEN_DIR = written;
// In parallel: each takes a few seconds. The database's addresses are passed to the test processes in the environment.
const [browser] = await Promise.all([needsBrowser() ? startBrowser() : null, globalSetup()]);
const run = spawn(process.execPath, ['--test', `--test-concurrency=${WORKERS}`, ...workers], {
  cwd: root,
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'sluice-compile'),
    ...process.env,
    TEST_QUEUE_DIR: queue,
    ...browser?.env,
  },
});
// Ctrl-C in a terminal also reaches the test processes; what was started here is stopped below.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => run.kill(signal));
const [status] = await once(run, 'close');
await Promise.all([browser?.close(), globalTeardown()]);
const isDone = checkDone(queue);
const isClean = await checkWritten(written);
process.exit(isDone && isClean ? (status ?? 1) : 1);
