// test/kit/cheap-hooks.ts: node:test reports the same results with and without it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareEnvironment } from '../verify/kit/environment.ts';

const HOOKS = new URL('kit/cheap-hooks.ts', import.meta.url).href;

const TESTS = `
const { after, afterEach, before, describe, test } = await import('node:test');
const { setTimeout: sleep } = await import('node:timers/promises');
const seen = [];
afterEach(async () => { await sleep(1); seen.push('each'); });
test('a rejection that nobody handles', async () => {
  await sleep(1);
  void sleep(1).then(() => { throw new Error('unhandled'); });
  await sleep(100);
});
test('an error in a timer', async () => {
  await sleep(1);
  setTimeout(() => { throw new Error('uncaught'); }, 1);
  await sleep(100);
});
test('what runs at its end', async () => {
  await sleep(1);
  seen.length = 0;
  after(() => seen.push('end'));
});
test('has run before the next', async (t) => {
  if (seen.join() !== 'each,end') throw new Error(seen.join());
  await t.test('inside', async () => {
    await sleep(1);
    await test('further inside', () => {});
  });
});
describe('a group', () => {
  before(() => void seen.push('group'));
  test('of one', () => { if (!seen.includes('group')) throw new Error(seen.join()); });
});
// Resolved by the next test: a timer could end before a slow test does.
let late;
test('a rejection after its end', () => {
  void new Promise((resolve) => { late = resolve; }).then(() => { throw new Error('late'); });
});
test('is not the next one’s', async () => {
  late();
  await sleep(100);
});
`;

async function verdicts(preamble: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-hooks-'));
  const file = join(directory, 'some.test.mjs');
  await writeFile(file, preamble + TESTS);
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      ['--test-reporter=tap', file],
      { env: bareEnvironment() },
      (_failed, stdout) => {
        resolve(stdout);
      },
    );
  });
  await rm(directory, { recursive: true });
  return output
    .replaceAll(/ at \S+\.mjs:\d+:\d+/g, '')
    .split('\n')
    .filter((line) => /^ *(?:not )?ok |^# (?:Error|fail)/.test(line));
}

test('cheap hooks: an error fails only the test that caused it, and the hooks of a test run when it ends', async () => {
  const [plain, cheap] = await Promise.all([verdicts(''), verdicts(`import '${HOOKS}';\n`)]);
  assert.deepEqual(cheap, plain);
  const said = cheap.join('\n');
  assert.match(said, /^not ok 1 - a rejection that nobody handles\nnot ok 2 - an error in a timer\nok 3 /);
  assert.match(said, /^# fail 2$/m);
  assert.match(said, /^# Error: Test "a rejection after its end" .*"Error: late"/m);
});
