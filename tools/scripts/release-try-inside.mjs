// Runs inside the root that release-try.ts creates, on the Node of the release. Starts the service as the
// container does, uses it, and stops it. The argument is JSON with the command of the service and the command
// of the health check.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 120_000;
const { serve, health } = JSON.parse(process.argv[2]);
const [program, ...args] = serve;
const origin = `http://127.0.0.1:${process.env.PORT}`;
const headers = {
  authorization: `Bearer ${process.env.SLUICE_ADMIN_TOKEN}`,
  'content-type': 'application/json',
};

function check(holds, what) {
  if (!holds) throw new Error(`failed: ${what}`);
  console.log(`  ${what}`);
}

const refused = (file) => {
  try {
    writeFileSync(file, '');
    return false;
  } catch {
    return true;
  }
};

const service = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
service.stdout.on('data', (chunk) => (output += String(chunk)));
const ended = once(service, 'exit');
try {
  check(process.getuid() !== 0, `runs as user ${process.getuid()}, not as root`);
  check(refused('/x') && refused('/opt/sluice/x'), 'cannot write to its root and to the release');
  check(
    !readdirSync('/usr/bin').some((name) => /^(?:node|npm|git)$/.test(name)),
    'there is no other Node, no npm and no git',
  );
  for (const deadline = Date.now() + READY_MS; ; await sleep(100)) {
    const answer = await fetch(`${origin}/readyz`).catch(() => null);
    if (answer?.status === 200) break;
    if (service.exitCode !== null || Date.now() > deadline)
      throw new Error(`the service did not start:\n${output}`);
  }
  console.log('  is ready, with its own database');
  check(spawnSync(health[0], health.slice(1)).status === 0, 'the health check of the container succeeds');
  const body = JSON.stringify({ name: 'Shop', country_code: 'KR' });
  const created = await fetch(`${origin}/admin/v1/channels`, { method: 'POST', headers, body });
  check(created.status === 201, 'the admin API creates a channel');
  const { data } = await created.json();
  const list = await fetch(`${origin}/api/v1/inventory`, { headers: { 'x-api-key': data.api_key } });
  check(list.status === 200, 'the channel API accepts the key of the channel');
  for (const path of ['/console/', '/docs'])
    check((await fetch(origin + path)).status === 200, `${path} is served`);
  const listed = spawnSync(program, ['channel', 'list', '--json'], { encoding: 'utf8' });
  check(listed.stdout.includes('"Shop"'), 'a command that runs next to the service lists the channel');
  service.kill('SIGTERM');
  const [code] = await ended;
  check(code === 0, 'SIGTERM stops it with exit code 0');
} finally {
  service.kill('SIGKILL');
}
