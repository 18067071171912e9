// A benchmark that is killed leaves no service and no database server behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isAlive } from '../src/store/embedded/process.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { until } from '../verify/kit/until.ts';

const GUARDIAN = new URL('../tools/bench/guardian.ts', import.meta.url).href;
const directory = await temporaryDirectory();
const service = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
const server = spawn('sleep', ['1000'], { stdio: 'ignore' });
after(async () => {
  for (const child of [service, server]) child.kill('SIGKILL');
  await directory.remove();
});

test('kill -9 of a process with a guardian: its process group and its database server end, the data is removed', async () => {
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
