// The command lines of tools that no other test starts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sluice } from './cli-run.ts';

const TOOLS = {
  'bench:orders': 'tools/bench/order-scale.ts',
  'bench:scroll': 'tools/bench/list-scroll.mjs',
  'bench:waiting': 'tools/bench/waiting.ts',
  'bench:webhooks': 'tools/bench/webhooks.ts',
  release: 'tools/scripts/release.ts',
};

describe('--help prints the options, and a wrong one is refused in one line', { concurrency: 2 }, () => {
  for (const [script, file] of Object.entries(TOOLS)) {
    test(script, async () => {
      const command = [process.execPath, file];
      const help = await sluice(['--help'], { command });
      assert.deepEqual([help.code, help.stderr], [0, '']);
      assert.match(help.stdout, new RegExp(`^npm run ${script} -- \\[options\\]\\n[^]*--help\\n$`));
      const wrong = await sluice(['--nothing'], { command });
      assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
      assert.equal(wrong.stderr, "Unknown option '--nothing'; --help lists the options\n");
    });
  }
});
