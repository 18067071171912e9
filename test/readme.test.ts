// Runs the commands of the README in a shell against a running service.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { spawnService } from '../verify/kit/process.ts';
import { TEST_SECRET } from '../verify/kit/service.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Shell blocks marked `<!-- test:NAME -->`, in order. */
const blocks = (name: string): string[] =>
  [...README.matchAll(new RegExp(`<!-- test:${name} -->\n\`\`\`sh\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  );

/** What a block prints. Like a terminal, it goes on after a command that failed, and such a command writes to stderr. */
function run(script: string): string[] {
  const { stdout, stderr, status } = spawnSync('bash', ['-u', '-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'], // with a socket as stdin bash assumes a remote shell and reads its rc file
  });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.trim().split('\n');
}

test('the commands of the README work as pasted, in the order of the page, twice, with the answers that the README shows', async () => {
  const [start = ''] = blocks('start');
  const [operator = '', channel = ''] = blocks('first-order');
  const database = await createDatabase();
  try {
    for (const time of ['first', 'second']) {
      const service = await spawnService({ DATABASE_URL: database.url, SLUICE_SECRET: TEST_SECRET }, [
        'bash',
        '-c',
        `${start.trim()} --silent`,
      ]);
      try {
        assert.equal(await service.ready(), true, service.output());
        const here = (block: string): string => block.replaceAll('http://127.0.0.1:8080', service.origin);
        const once = run(here(operator + channel)).slice(-4);
        const [before, order, after, shipped] = once.map((line) => JSON.parse(line));
        // The second time the order is known: it is the shipped one, and takes nothing.
        const expected = time === 'first' ? [100, 1, 97, 3] : [100, 3, 100, 3];
        const found = [before.available, order.data.status, after.available, shipped.data.status];
        assert.deepEqual(found, expected, time);
        assert.equal(order.data.total_amount, '45000.00');
        const again = run(here(operator + channel + channel)).slice(-8);
        assert.deepEqual(again.slice(0, 4), again.slice(4), 'the second block, run twice');
      } finally {
        await service.stop();
      }
    }
    const left = await query(database.url, 'select count(*)::int as channels from channel');
    assert.deepEqual(left, [{ channels: 1 }]);
  } finally {
    await database.drop();
  }
});
