// `npm test [-- files]`: the whole suite, or the files named, on one real PostgreSQL server.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = process.argv.slice(2);
const result = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/kit/global-setup.ts',
    '--test-concurrency=2',
    '--test-timeout=240000',
    ...(files.length > 0 ? files : ['test/**/*.test.ts']),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(result.status ?? 1);
