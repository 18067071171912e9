// Runs in the test process before the tests: replaces the file with the mutant, in memory only.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { mutate } from './operators.ts';
import type { Job } from './test-run.ts';

const { seed, mutant }: Job = JSON.parse(process.env['MUTATION_JOB'] ?? '');

// The same cases for every mutant, and no shrinking of failures.
fc.configureGlobal({ seed, endOnFailure: true });

if (mutant) {
  const target = pathToFileURL(mutant.path).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return url === target
        ? { ...loaded, source: mutate(readFileSync(mutant.path, 'utf8'), mutant) }
        : loaded;
    },
  });
}
