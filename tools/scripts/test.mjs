// `npm test [-- files]`: the whole suite, or the files named, on one real PostgreSQL server.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findLeaks } from '../../verify/kit/canaries.ts';
import { KINDS } from '../../verify/kit/written.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['test/**/*.test.ts'];

/** Tests in a browser are those that use the kit for it. */
function needsBrowser() {
  const isOne = (file) => fs.readFileSync(path.resolve(root, file), 'utf8').includes("/kit/console.ts'");
  return fs.globSync(files, { cwd: root }).some((file) => file.endsWith('.test.ts') && isOne(file));
}

/** The test processes read what to launch, or why they cannot, from the environment. */
async function browserEnv() {
  if (!fs.existsSync(path.join(root, 'console', 'dist', 'index.html'))) {
    const build = path.join(root, 'tools', 'scripts', 'console-build.mjs');
    const { status } = spawnSync(process.execPath, [build], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
  const { ensureChromium, NO_BROWSER } = await import('./chromium.mjs');
  const options = await ensureChromium().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  if (options) return { TEST_BROWSER: JSON.stringify(options) };
  process.stderr.write(`${process.env.CI === 'true' ? 'Error' : 'Skipped'}: ${NO_BROWSER}\n`);
  return { TEST_NO_BROWSER: NO_BROWSER };
}

/** Logs, metrics, rows, error answers of the whole run: no secret and no person may be in them. */
async function checkWritten(directory) {
  const leaks = await findLeaks(directory);
  for (const { file, line, what, text } of leaks) process.stderr.write(`${file}:${line}: ${what}: ${text}\n`);
  if (leaks.length > 0) {
    process.stderr.write(`The service wrote what it must not, ${leaks.length} times; see above.\n`);
    return false;
  }
  const kept = fs.readdirSync(directory);
  const missing = KINDS.filter((kind) => !kept.some((file) => file.startsWith(`${kind}-`)));
  fs.rmSync(directory, { recursive: true, force: true });
  if (named.length > 0 || missing.length === 0) return true;
  process.stderr.write(
    `Nothing was kept of ${missing.join(', ')}: the search for secrets was blind there.\n`,
  );
  return false;
}

const written = fs.mkdtempSync(path.join(tmpdir(), 'sluice-written-'));
// A process a file, and all of them load the same modules: a tenth of the time.
const compileCache = path.join(root, 'node_modules', '.cache', 'sluice-compile');
const result = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-global-setup=verify/kit/global-setup.ts',
    '--test-concurrency=2',
    '--test-timeout=240000',
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE: compileCache,
      ...process.env,
      TEST_WRITTEN_DIR: written,
      ...(needsBrowser() ? await browserEnv() : {}),
    },
  },
);
const isClean = await checkWritten(written);
process.exit(isClean ? (result.status ?? 1) : 1);
