// A benchmark that is killed or told to stop leaves no service and no database server behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isAlive } from '../src/platform/embedded-postgres/process.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { until } from '../verify/kit/until.ts';

const GUARDIAN = new URL('../tools/bench/guardian.ts', import.meta.url).href;
const COMMAND_LINE = new URL('../verify/kit/command-line.ts', import.meta.url).href;
const directory = await temporaryDirectory();
const service = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
const server = spawn('sleep', ['1000'], { stdio: 'ignore' });
after(async () => {
  for (const child of [service, server]) child.kill('SIGKILL');
  await directory.remove();
});

test('kill -9 of a process with a guardian: its process group and its database server end, and the data is removed', async () => {
  const data = join(directory.path, 'data');
  mkdirSync(join(data, 'postgres'), { recursive: true });
  writeFileSync(join(data, 'postgres', 'postmaster.pid'), `${server.pid}\n`);
  const script = `
    const { startGuardian } = await import(${JSON.stringify(GUARDIAN)});
    const guardian = await startGuardian();
    guardian.watch({ kind: 'data directory', path: ${JSON.stringify(data)} });
    guardian.watch({ kind: 'group', pid: ${service.pid} });
    process.kill(process.pid, 'SIGKILL');
  `;
  const bench = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
  const [, signal] = await once(bench, 'exit');
  assert.equal(signal, 'SIGKILL');
  const pids = [service.pid ?? 0, server.pid ?? 0];
  await until(() => !pids.some(isAlive) && !existsSync(data), 'everything has ended');
});

test('SIGTERM twice, as timeout(1) sends it to a process and to its group: a command still stops what it has started', async () => {
  const script = `
    const { runCommand } = await import(${JSON.stringify(COMMAND_LINE)});
    await runCommand('', () => ({}), async (_, signal) => {
      const alive = setInterval(() => {}, 1_000);
      console.log('started');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      console.log('told');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      process.stdin.destroy();
      clearInterval(alive);
      console.log('cleaned up');
      signal.throwIfAborted();
      return 0;
    });
  `;
  const command = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  command.stdout.on('data', (chunk) => (output += String(chunk)));
  await until(() => output.includes('started'), 'the command runs');
  command.kill('SIGTERM');
  await until(() => output.includes('told'), 'the command is told to stop');
  command.kill('SIGTERM');
  command.stdin.end('go on\n');
  const [code, signal] = await once(command, 'close');
  assert.deepEqual([code, signal], [130, null]);
  assert.match(output, /cleaned up/);
});
