// Runs the test files, or the named ones, on one real PostgreSQL server. A few processes share the files
// (test/kit/worker.ts), because starting a process and loading the modules for each file took a third of the run. A file
// that fails beside others may run once more, alone (test-again.ts, CONTRIBUTING.md).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { availableParallelism, tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findLeaks } from '../../verify/kit/canaries.ts';
import { globalSetup, globalTeardown } from '../../verify/kit/global-setup.ts';
import { KINDS } from '../../verify/kit/written.ts';
import { chooseAgain } from './test-again.ts';
import { measureFiles } from './test-cpu.ts';

const HELP = `npm test [-- options] [files]

Runs all tests but the slow ones, or the named files (test/webhooks.test.ts). Exit code 1: a test failed.

  --long      the slow tests instead (npm run test:long)
  --repeat N  N times, with no second chance for a file
  --hog       with a busy loop on every core beside the tests
  --cpu       one file after the other, with the CPU seconds of each
  --help`;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { flags, named } = readArguments();

function readArguments() {
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const options = /** @type {const} */ ({
    hog: flag,
    repeat: { type: 'string' },
    cpu: flag,
    long: flag,
    help: flag,
  });
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (!values.help) return { flags: values, named: positionals };
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exit(2);
  }
}

/** More processes than cores, because tests also wait: for timeouts, and for servers that start and stop. */
const WORKERS = flags.cpu ? 1 : 4;
/** Data directories are put here if there is room: the suite tests crashes of processes, not of the machine. */
const MEMORY_DISK = '/dev/shm';
const MEMORY_DISK_FREE_BYTES_MIN = 8 * 1024 ** 3;
/** Longest first, so that no long file runs alone at the end; those of pages and the others separately. */
const LONGEST_FIRST = [
  'features',
  'console-screens',
  'console-shipping',
  'console-sign-in',
  'console-stock',
  'start',
  'drill-crash',
  'overload-slow-clients',
  'simulator',
  'console-everyday',
  'channel-docs',
  'console-orders',
  'backup',
  'fuzz-http',
  'demo',
  'embedded',
  'cli-import',
  'secret-rotation',
  'openapi',
  'cli-embedded',
  'console-access',
  'console-newcomer',
  'release',
  'sandbox',
  'admin-mapping-csv',
  'cutover',
  'workers',
  'console-worklists',
  'search-speed',
  'admin-sessions',
  'cli',
  'console-channel-policy',
  'cli-erase',
  'console-allocations',
  'oidc',
  'races',
  'gate-model',
  'console-channel-keys',
  'channel-inventory',
  'cli-keys',
  'client',
  'drill-network',
  'adverse-disk',
  'lost-commit',
  'channel-inventory-changes',
  'channel-status',
  'overload',
  'history',
  'admin-unmapped',
  'decide',
  'stop',
  'cli-migrate',
  'install',
  'cli-seed',
  'cli-user',
  'transport-limits',
  'order-requests',
  'channel-orders',
  'hostile-channel',
  'admin-overview',
  'stock-list-cache',
].map((name) => path.join('test', `${name}.test.ts`));

/**
 * They use little of the processor: they wait for timeouts, jobs and servers. A process of their own takes them, beside
 * the others, which take what is left of them last.
 */
const WAITING = [
  'whole-day',
  'adverse-timeouts',
  'webhooks',
  'database-loss',
  'revocation',
  'webhook-endpoint',
  'adverse-clock',
  'outage',
  'jobs',
  'adverse-recovery',
].map((name) => path.join('test', `${name}.test.ts`));

/**
 * Tests of the drills and other programs that doubt the service, of demo, sandbox, release and the guides' programs, of
 * the console's screens for settings and work lists, of backups, of what depends on many rows, and of services and
 * servers that are started, killed and overloaded as whole processes: only with --long, or when named.
 */
const LONG = [
  'backup',
  'channel-docs',
  'cli-embedded',
  'console-access',
  'console-allocations',
  'console-channel-policy',
  'console-everyday',
  'console-worklists',
  'demo',
  'drill-crash',
  'drill-failover',
  'drill-network',
  'drill-restart',
  'embedded',
  'features',
  'fuzz-http',
  'history',
  'lock-order',
  'mutation',
  'overload-slow-clients',
  'plans',
  'release',
  'sandbox',
  'search-speed',
  'simulator',
  'start',
  'workers',
].map((name) => path.join('test', `${name}.test.ts`));
const hasLongTests = (file) =>
  LONG.includes(file) || fs.readFileSync(path.resolve(root, file), 'utf8').includes("/kit/long.ts'");

/** Pages of tests live for seconds, too short for optimizing compilers: without them the browser needs 5 to 10 % less CPU time. */
const BROWSER_JS = '--js-flags=--no-opt,--no-maglev';

/** Browser tests are those that use the browser kit. */
const usesBrowser = (file) =>
  /\/kit\/(?:console|browser)\.ts'/.test(fs.readFileSync(path.resolve(root, file), 'utf8'));

/** One of each kind in turn: pages use the processors all the time, other tests also wait. */
function mixed(files) {
  const pages = files.filter(usesBrowser);
  const others = files.filter((file) => !pages.includes(file));
  return files.flatMap((_, index) => [pages[index], others[index]]).filter((file) => file !== undefined);
}

function findFiles() {
  const found = fs
    .globSync(named.length > 0 ? named : 'test/**/*.test.ts', { cwd: root })
    .filter((file) => named.length > 0 || (flags.long ? hasLongTests(file) : !LONG.includes(file)))
    .toSorted();
  if (found.length === 0) {
    process.stderr.write(`No such test: ${named.join(' ')}\n`);
    process.exit(2);
  }
  const first = LONGEST_FIRST.filter((file) => found.includes(file));
  const last = WAITING.filter((file) => found.includes(file));
  const rest = found.filter((file) => !first.includes(file) && !last.includes(file));
  return [...mixed([...first, ...rest]), ...last];
}

const suite = findFiles();

function hasMemoryDisk() {
  try {
    const { bavail, bsize } = fs.statfsSync(MEMORY_DISK);
    return bavail * bsize >= MEMORY_DISK_FREE_BYTES_MIN;
  } catch {
    return false; // not Linux
  }
}

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
    const server = await launchServer({ ...options, args: [...options.args, BROWSER_JS] });
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
  if (named.length > 0 || flags.long || missing.length === 0) return true;
  process.stderr.write(`No ${missing.join(', ')} were kept, so they were not searched for secrets.\n`);
  return false;
}

/** What no second run forgives: a file that was not finished, a worker process that did not end by itself. */
function findUnfinished(queue, files, workers) {
  const isMissing = (mark) => !fs.existsSync(path.join(queue, mark));
  return [
    ...files.filter((_, index) => isMissing(`${index}.done`)).map((file) => `${file} did not finish.`),
    ...workers.filter((name) => isMissing(`${name}.ended`)).map((name) => `${name} did not end by itself.`),
  ];
}

const say = (text) => process.stderr.write(`${text}\n`);
const kitFile = (name) => pathToFileURL(path.join(root, 'test', 'kit', name)).href;
/** The second after the first: it loads node:test. */
const WORKER = `import '${kitFile('cheap-hooks.ts')}';\nawait import('${kitFile('worker.ts')}');\n`;
const REPORTER_FILE = path.join(root, 'tools', 'scripts', 'test-failures.ts');
let running = null;
const interrupted = new AbortController();

/** Runs the files once, with `count` processes. */
async function runFiles(files, count, env) {
  const queue = fs.mkdtempSync(path.join(tmpdir(), 'sluice-queue-'));
  const waiting = files.length > count && !flags.cpu ? files.filter((file) => WAITING.includes(file)) : [];
  fs.writeFileSync(path.join(queue, 'files.json'), JSON.stringify({ files, waiting }));
  const workers = [
    ...Array.from({ length: Math.min(count, files.length) }, (_, index) => `worker-${index + 1}`),
    ...(waiting.length > 0 ? ['worker-waiting'] : []),
  ];
  const started = workers.map((name) => path.join(queue, `${name}.mjs`));
  for (const file of started) fs.writeFileSync(file, WORKER);
  const failed = path.join(queue, 'failures');
  const reporters = [
    ['--test-reporter=spec', '--test-reporter-destination=stdout'],
    [`--test-reporter=${REPORTER_FILE}`, `--test-reporter-destination=${failed}`],
  ].flat();
  running = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${workers.length}`, ...reporters, ...started],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'sluice-compile'),
        ...process.env,
        TEST_QUEUE_DIR: queue,
        ...(flags.long ? { TEST_LONG: '1' } : {}),
        ...env,
      },
    },
  );
  const ended = new AbortController();
  const measured = flags.cpu ? measureFiles(queue, files, ended.signal) : null;
  const [status] = await once(running, 'close');
  ended.abort();
  if (measured) say(`\nCPU seconds\n${await measured}`);
  const unfinished = findUnfinished(queue, files, workers);
  for (const text of unfinished) say(text);
  const lines = fs.existsSync(failed) ? fs.readFileSync(failed, 'utf8').split('\n') : [];
  fs.rmSync(queue, { recursive: true, force: true });
  return {
    isGreen: status === 0 && unfinished.length === 0,
    isWhole: unfinished.length === 0 && !interrupted.signal.aborted,
    failures: lines.filter((line) => line !== '').map((line) => JSON.parse(line)),
  };
}

/** Everything, then what failed and may depend on the load beside it once more, alone. */
async function runForgiving(files, env) {
  const first = await runFiles(files, WORKERS, env);
  if (first.isGreen || !first.isWhole) return first.isGreen;
  const again = chooseAgain(first.failures, files, root);
  if (again.files.length === 0) {
    say(`\nNo file is run again: ${again.reason}.`);
    return false;
  }
  const summary = [];
  let isForgiven = true;
  for (const file of again.files) {
    say(`\n${file} failed, see above; it is run again, alone.`);
    const { isGreen } = await runFiles([file], 1, env);
    if (interrupted.signal.aborted) return false;
    isForgiven &&= isGreen;
    summary.push(
      isGreen
        ? `FLAKY: ${file} failed beside other tests and passed alone`
        : `FAILED TWICE: ${file}, also alone`,
    );
  }
  const bar = '='.repeat(100);
  say(`\n${[bar, ...summary, 'A flaky test is a bug: CONTRIBUTING.md, "Flaky tests".', bar].join('\n')}`);
  return isForgiven;
}

/** To find flaky tests: all the runs, and what failed in each. */
async function runRepeatedly(files, times, env) {
  const red = [];
  for (let run = 1; run <= times && !interrupted.signal.aborted; run += 1) {
    say(`\nRun ${run} of ${times}`);
    const { isGreen, failures } = await runFiles(files, WORKERS, env);
    if (!isGreen) red.push(`run ${run}: ${failures.join(', ') || 'see above'}`);
  }
  say(`\n${red.length} of ${times} runs failed${red.map((line) => `\n  ${line}`).join('')}`);
  return red.length === 0 && !interrupted.signal.aborted;
}

/** It ends by itself when this process is gone. */
const HOG = `const parent = process.ppid;
for (;;) {
  for (const end = Date.now() + 200; Date.now() < end; );
  if (process.ppid !== parent) process.exit();
}`;

const startHogs = () =>
  Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', HOG], { stdio: 'ignore' }),
  );

function readRepeat() {
  if (flags.repeat === undefined) return null;
  const times = Number(flags.repeat);
  if (Number.isInteger(times) && times >= 1) return times;
  say('--repeat takes a number of runs');
  process.exit(2);
}

const repeat = readRepeat();
// Imported before TMPDIR changes: the browser stays in a directory that the next run finds.
const { ensureChromium, launchServer, NO_BROWSER } = await import('./chromium.mjs');
if (process.env.TMPDIR === undefined && hasMemoryDisk()) process.env.TMPDIR = MEMORY_DISK;
const written = fs.mkdtempSync(path.join(tmpdir(), 'sluice-written-'));
process.env.TEST_WRITTEN_DIR = written;
// In parallel: each takes a few seconds. The database's addresses are passed to the test processes in the environment.
const [browser] = await Promise.all([suite.some(usesBrowser) ? startBrowser() : null, globalSetup()]);
// Ctrl-C in a terminal also reaches the test processes; what was started here is stopped below.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted.abort();
    running?.kill(signal);
  });
}
const hogs = flags.hog ? startHogs() : [];
const isGreen = await (repeat === null
  ? runForgiving(suite, browser?.env)
  : runRepeatedly(suite, repeat, browser?.env));
for (const hog of hogs) hog.kill('SIGKILL');
await Promise.all([browser?.close(), globalTeardown()]);
const isClean = await checkWritten(written);
process.exit(isGreen && isClean ? 0 : 1);
