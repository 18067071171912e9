// Runs in the test process before the tests: replaces the file with the mutant, in memory only.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { mutate } from './operators.ts';
import type { Job } from './test-run.ts';

const { path, change, seed }: Job = JSON.parse(process.env['MUTATION_JOB'] ?? '');

fc.configureGlobal({ seed, endOnFailure: true });

if (path !== null && change !== null) {
  const target = pathToFileURL(path).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return url === target ? { ...loaded, source: mutate(readFileSync(path, 'utf8'), change) } : loaded;
    },
  });
}
