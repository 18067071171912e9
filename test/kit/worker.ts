// One of the processes that run the suite. It takes the next file that no other one has taken, runs its tests as
// subtests of a test with the file's name, and then takes another: hooks at the top of a file belong to that test, so
// its services and databases are gone before the next file begins, while the modules stay loaded.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

/** Longer than any file takes on a busy machine; what hangs is cancelled and named. */
const FILE_MS_MAX = 1_200_000;

const queue = process.env['TEST_QUEUE_DIR'] ?? '';
const files = JSON.parse(readFileSync(join(queue, 'files.json'), 'utf8')) as string[];

/** False when another process was first. */
function mark(name: string): boolean {
  try {
    closeSync(openSync(join(queue, name), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

for (const [index, file] of files.entries()) {
  if (!mark(`${index}.taken`)) continue;
  await test(file, { timeout: FILE_MS_MAX }, () => import(pathToFileURL(resolve(file)).href));
  mark(`${index}.done`);
}
