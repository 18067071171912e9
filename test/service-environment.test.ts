// Commands without variables of their own use those of the installed service.
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cliBench, ROOT, sluice } from './cli-run.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';

const bench = await cliBench();
const directory = await temporaryDirectory();
after(() => directory.remove());
const unit = join(directory.path, 'sluice.service');
const file = join(directory.path, 'sluice.env');
const env = { SLUICE_SERVICE_UNIT: unit };
const bin = [join(ROOT, 'bin', 'sluice')];
const unitFor = (program: string): string => `[Service]
User=sluice
Environment=SLUICE_DATA_DIR=${directory.path}/none "SLUICE_TIMEZONE=UTC"
EnvironmentFile=-${file}
EnvironmentFile=-/nonexistent/sluice.env
ExecStart=${program} serve
`;

test('the unit names the database: quotes, comments and joined lines are read as by systemd, and nothing is executed', async () => {
  await writeFile(unit, unitFor(bin[0] ?? ''));
  await bench.ok(['channel', 'create', '--name', 'of the service']);
  const trace = join(directory.path, 'executed');
  for (const line of [
    `DATABASE_URL=${bench.database.url}`,
    `DATABASE_URL="${bench.database.url}"`,
    `  DATABASE_URL='${bench.database.url}'  `,
    `DATABASE_URL=\\\n${bench.database.url}`,
  ]) {
    await writeFile(file, `# comment\n; comment\n\nOTHER=$(touch ${trace})\nPORT=1 # 2\n${line}\n`);
    const { code, stdout, stderr } = await sluice(['channel', 'list'], { env, command: bin });
    assert.equal(code, 0, `${line}\n${stderr}`);
    assert.match(stdout, /of the service/);
  }
  await assert.rejects(chmod(trace, 0o600), { code: 'ENOENT' });
});

test('a variable of the caller that names a database wins, and the unit of another installation is not used', async () => {
  const own = join(directory.path, 'own');
  const chosen = await sluice(['channel', 'list'], { env: { ...env, SLUICE_DATA_DIR: own }, command: bin });
  assert.equal(chosen.code, 1);
  assert.match(chosen.stderr, new RegExp(`there is no database in ${own}\\.`));
  await writeFile(unit, unitFor('/opt/other/bin/sluice'));
  const other = await sluice(['channel', 'list'], { env, command: bin });
  assert.match(other.stdout + other.stderr, /^(?!.*of the service)/s);
});

test('drop-ins of the unit are read too, and migrate also reads the variables of the backup', async () => {
  await writeFile(unit, unitFor(bin[0] ?? ''));
  await writeFile(file, `DATABASE_URL=${bench.database.url}\n`);
  await mkdir(`${unit}.d`);
  await writeFile(
    join(`${unit}.d`, 'override.conf'),
    '[Service]\nEnvironment=DATABASE_URL_FILE=/nonexistent/url\n',
  );
  const both = await sluice(['channel', 'list'], { env, command: bin });
  assert.match(both.stderr, /DATABASE_URL and DATABASE_URL_FILE must not both be set/);
  await writeFile(join(`${unit}.d`, 'override.conf'), '');
  const owner = join(directory.path, 'backup.env');
  await writeFile(
    join(directory.path, 'sluice-backup.service'),
    `[Service]\nEnvironmentFile=-${file}\nEnvironmentFile=-${owner}\n`,
  );
  await writeFile(owner, 'DATABASE_MIGRATION_URL=postgres://nobody@127.0.0.1:1/x\n');
  assert.equal((await sluice(['channel', 'list'], { env, command: bin })).code, 0);
  assert.match((await sluice(['migrate'], { env, command: bin })).stderr, /127\.0\.0\.1:1/);
});

test(
  'a user who may not read the variables is told which file it is, and who may read it',
  { skip: process.getuid?.() === 0 ? false : 'needs root to become another user' },
  async () => {
    await chmod(file, 0o600);
    await chmod(directory.path, 0o711);
    const asOther = ['/usr/bin/setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...bin];
    const { code, stdout, stderr } = await sluice(['channel', 'list'], { env, command: asOther });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      new RegExp(`${file}.* cannot be read by this user \\(EACCES\\)\\. Run the command as root`),
    );
  },
);
