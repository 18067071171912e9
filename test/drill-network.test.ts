// The shortest form of the network drill: it breaks a connection, and the check of the driver's ledger finds no loss.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const DRILL = fileURLToPath(new URL('../verify/drill/network.ts', import.meta.url));

test('a connection to the database breaks at a chosen message under load: nothing is lost or duplicated', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [DRILL, '--rounds', '1', '--connections', '8'],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^checked [1-9]\d* orders in .*: 0 violations$/m);
  assert.match(stdout, /^violations +0$/m);
});
