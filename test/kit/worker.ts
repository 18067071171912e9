// One of the processes that run the suite. It takes the next file that no other one has taken, runs its tests as
// subtests of a test with the file's name, and then takes another: hooks at the top of a file belong to that test, so
// its services and databases are gone before the next file begins, while the modules stay loaded. One process takes only
// files that mostly wait.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { patientFetch } from '../../verify/kit/patient-fetch.ts';

/** Longer than any file takes on a busy machine; what hangs is cancelled and named. */
const FILE_MS_MAX = 600_000;

const queue = process.env['TEST_QUEUE_DIR'] ?? '';
const name = basename(process.argv[1] ?? '', '.mjs');

/** `waiting`: this process takes only those. */
interface Queue {
  files: string[];
  waiting: string[];
}
const { files, waiting } = JSON.parse(readFileSync(join(queue, 'files.json'), 'utf8')) as Queue;

const LEFT_OPEN_MS_MAX = 60_000;

patientFetch();

/** False when another process was first. */
function mark(file: string): boolean {
  try {
    closeSync(openSync(join(queue, file), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

for (const [index, file] of files.entries()) {
  if (name === 'worker-waiting' && !waiting.includes(file)) continue;
  if (!mark(`${index}.taken`)) continue;
  // Without it a promise that nothing settles would let the process end, and the file be reported without a reason.
  const alive = setInterval(() => {}, FILE_MS_MAX);
  await test(file, { timeout: FILE_MS_MAX }, () => import(pathToFileURL(resolve(file)).href));
  clearInterval(alive);
  mark(`${index}.done`);
}

// What is left open would keep the process, and with it the whole run, from ending.
let isLeftOpen = false;
setTimeout(() => {
  process.stderr.write(`left open by a test: ${process.getActiveResourcesInfo().join(', ')}\n`);
  isLeftOpen = true;
  process.exit(1);
}, LEFT_OPEN_MS_MAX).unref();
// Not there if the process crashes. Its exit code does not tell: it is not 0 after a failed test either.
process.on('exit', () => {
  if (!isLeftOpen) mark(`${name}.ended`);
});
