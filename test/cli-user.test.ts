// Accounts from the command line: recovery for operators with access to the machine but without a password.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyPassword } from '../src/platform/passwords/passwords.ts';
import { cliBench } from './cli-run.ts';

const bench = await cliBench();

const accountOf = async (email: string) =>
  (await bench.rows('select * from account where email = $1', [email]))[0];
const passwordIn = (text: string): string => /(?:[a-z2-9]{5}-){3}[a-z2-9]{5}/.exec(text)?.[0] ?? '';

test('user create prints a one-time password that works and is stored only as a hash', async () => {
  const args = ['user', 'create', '--email', ' Boss@Example.com ', '--role', 'admin', '--name', '김민지'];
  const { stdout } = await bench.ok(args);
  assert.match(
    stdout,
    /^Account boss@example\.com \(admin\) was created\.\nOne-time password \(shown only now\)/,
  );
  const account = await accountOf('boss@example.com');
  assert.deepEqual([account.name, account.role, account.must_change_password], ['김민지', 'admin', true]);
  assert.equal(await verifyPassword(passwordIn(stdout), account.password_hash), true);
  assert.match(account.password_hash, /^scrypt\$16\$8\$1\$/);
  const audit = JSON.stringify(await bench.rows('select * from audit'));
  assert.match(audit, /user\.create/);
  assert.ok(!audit.includes(passwordIn(stdout)));
  const again = await bench.run(args);
  assert.deepEqual(
    [again.code, again.stderr],
    [1, 'sluice: there is already an account boss@example.com.\n'],
  );
});

test('user list shows all accounts and no hash, also with --json', async () => {
  const made = (
    await bench.ok(['user', 'create', '--email', 'desk@example.com', '--role', 'viewer', '--json'])
  ).json();
  assert.match(made.password, /^[a-z2-9]{5}-/);
  const { stdout } = await bench.ok(['user', 'list']);
  assert.match(stdout, /^E-MAIL +NAME +ROLE +ACTIVE +LAST SIGN-IN\n/);
  assert.match(stdout, /^boss@example\.com +김민지 +admin +yes +never$/m);
  assert.match(stdout, /^desk@example\.com +- +viewer +yes +never$/m);
  const list = (await bench.ok(['user', 'list', '--json'])).json();
  assert.equal(list.length, 2);
  assert.ok(!JSON.stringify(list).includes('scrypt') && !('password' in list[1]));
});

test('user reset-password sets a new password and ends the sessions', async () => {
  const { id, password_hash } = await accountOf('desk@example.com');
  await bench.rows(`insert into account_session (id_hash, account_id) values ('\\x01', $1)`, [id]);
  const { stdout } = await bench.ok(['user', 'reset-password', 'DESK@example.com']);
  const after = await accountOf('desk@example.com');
  assert.notEqual(after.password_hash, password_hash);
  assert.equal(await verifyPassword(passwordIn(stdout), after.password_hash), true);
  assert.equal(await bench.count('account_session'), 0);
});

test('user deactivate ends the sessions immediately, and refuses the last administrator', async () => {
  const { id } = await accountOf('desk@example.com');
  await bench.rows(`insert into account_session (id_hash, account_id) values ('\\x02', $1)`, [id]);
  assert.match((await bench.ok(['user', 'deactivate', 'desk@example.com'])).stdout, /was deactivated/);
  assert.equal((await accountOf('desk@example.com')).is_active, false);
  assert.equal(await bench.count('account_session'), 0);
  const last = await bench.run(['user', 'deactivate', 'boss@example.com']);
  assert.equal(last.code, 1);
  assert.match(last.stderr, /^sluice: boss@example\.com is the last active administrator/);
  assert.equal((await accountOf('boss@example.com')).is_active, true);
});

test('an unknown account, and wrong options: one message each', async () => {
  for (const action of ['reset-password', 'deactivate']) {
    const { code, stderr } = await bench.run(['user', action, 'nobody@example.com']);
    assert.deepEqual(
      [code, stderr],
      [1, 'sluice: there is no account nobody@example.com; see "sluice user list".\n'],
    );
  }
  const wrong: [string[], RegExp][] = [
    [['--email', 'x', '--role', 'viewer'], /--email must be an e-mail address\./],
    [['--email', 'x@y', '--role', 'root'], /--role must be admin, operator or viewer/],
    [['--email', 'x@y', '--role', 'viewer', '--name', 'x'.repeat(101)], /--name must have at most 100/],
  ];
  for (const [options, message] of wrong) {
    const { code, stderr } = await bench.run(['user', 'create', ...options]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
