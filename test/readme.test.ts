// Runs the commands of the README in a shell against a running service.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createDatabase } from '../verify/kit/database.ts';
import { spawnService } from '../verify/kit/process.ts';
import { TEST_SECRET } from '../verify/kit/service.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Shell blocks marked `<!-- test:NAME -->`, in order. */
const blocks = (name: string): string =>
  [...README.matchAll(new RegExp(`<!-- test:${name} -->\n\`\`\`sh\n(.*?)\`\`\``, 'gs'))]
    .map((match) => match[1])
    .join('\n');

test('the first order of the README works as pasted, with the answers that the README shows', async () => {
  const token = /SLUICE_ADMIN_TOKEN=(\S+) npm start/.exec(README)?.[1] ?? '';
  const database = await createDatabase();
  const service = await spawnService({
    DATABASE_URL: database.url,
    SLUICE_SECRET: TEST_SECRET,
    SLUICE_ADMIN_TOKEN: token,
  });
  try {
    assert.equal(await service.ready(), true, service.output());
    const script = blocks('first-order').replaceAll('http://127.0.0.1:8080', service.origin);
    const { stdout, stderr, status } = spawnSync('bash', ['-eu', '-c', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'], // with a socket as stdin bash assumes a remote shell and reads its rc file
    });
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '');
    const answers = stdout
      .trim()
      .split('\n')
      .slice(-4)
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      [answers[0].available, answers[1].data.status, answers[2].available, answers[3].data.status],
      [100, 1, 97, 3],
      stdout,
    );
    assert.equal(answers[1].data.total_amount, '45000.00');
  } finally {
    await service.stop();
    await database.drop();
  }
});
