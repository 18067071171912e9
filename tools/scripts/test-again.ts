// Which failed test files `npm test` runs a second time, alone. Why, and what it is not for: CONTRIBUTING.md.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** A machine that stands still for a while fails what runs at that moment, one file of each process; more is no accident. */
const FILES_AGAIN_MAX = 4;

/** The files to run again, and why none are. */
export type Again = { files: string[]; reason?: undefined } | { files: []; reason: string };

/** `failed`: at the top level of the run, test files or something else, such as a worker process. */
export function chooseAgain(failed: readonly string[], files: readonly string[], root: string): Again {
  const none = (reason: string): Again => ({ files: [], reason });
  const names = [...new Set(failed)];
  if (names.length === 0) return none('nothing says what failed');
  if (files.length === 1) return none('it ran alone');
  const other = names.find((name) => !files.includes(name));
  if (other !== undefined) return none(`not a failed test: ${other}`);
  if (names.length > FILES_AGAIN_MAX) return none(`${names.length} files failed`);
  const timeless = names.find((name) => !dependsOnTime(name, root));
  if (timeless !== undefined) return none(`nothing in ${timeless} depends on time`);
  return { files: names };
}

/** Pure rules: these directories of the tests start nothing, whatever their helpers could do. */
const TIMELESS = /^test\/domain\//;
/** Looked into for what they use; the service's own code is used through them. */
const HELPERS = /^(?:test|verify|tools|clients)\//;
const STARTS =
  /from '(?:node:(?:child_process|http|https|net|tls|worker_threads)|pg|playwright-core)'|\bfetch\(/;
const IMPORTED = /(?:from|import) '(\.{1,2}\/[^']+)'/g;

/** Does it use a server, a database, another process or a browser, itself or through its helpers? */
export function dependsOnTime(file: string, root: string): boolean {
  if (TIMELESS.test(file)) return false;
  const seen = new Set<string>();
  const uses = (path: string): boolean => {
    if (seen.has(path) || !HELPERS.test(path) || !existsSync(join(root, path))) return false;
    seen.add(path);
    const text = readFileSync(join(root, path), 'utf8').replaceAll(/^import type .*$/gm, '');
    return (
      STARTS.test(text) ||
      [...text.matchAll(IMPORTED)].some(([, other = '']) =>
        uses(relative(root, resolve(root, dirname(path), other))),
      )
    );
  };
  return uses(file);
}
