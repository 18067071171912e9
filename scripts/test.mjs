// `npm test [-- files]`: the whole suite, or the files named, on one real PostgreSQL server.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
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
    const build = path.join(root, 'scripts', 'console-build.mjs');
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

const result = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/kit/global-setup.ts',
    '--test-concurrency=2',
    '--test-timeout=240000',
    ...files,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...(needsBrowser() ? await browserEnv() : {}) } },
);
process.exit(result.status ?? 1);
