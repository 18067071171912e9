// The status of a back-office transaction whose COMMIT got no response, read from a real server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { markTransaction, statusOf, type TransactionMark } from '../src/platform/database/lost-commit.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';

const database = await createDatabase();
const [client, other] = [await connect(database.url), await connect(database.url)];
after(async () => {
  await Promise.all([client.end(), other.end()]);
  await database.drop();
});

/** A transaction that has written something, with its mark; `end` is its last statement. */
async function transaction(end: 'commit' | 'rollback' | null): Promise<TransactionMark> {
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  const mark = await markTransaction(client);
  if (end) await client.query(end);
  return mark;
}

test('a transaction is committed, aborted or still in progress', async () => {
  assert.equal(await statusOf(other, await transaction('commit')), 'committed');
  assert.equal(await statusOf(other, await transaction('rollback')), 'aborted');
  const running = await transaction(null);
  assert.equal(await statusOf(other, running), 'in progress');
  await client.query('commit');
  assert.equal(await statusOf(other, running), 'committed');
});

test('a transaction that has written nothing leaves no mark', async () => {
  await client.query('begin read only');
  const { xid, batch } = await markTransaction(client);
  await client.query('commit');
  assert.equal(xid, null);
  const { rowCount } = await other.query('select from change_journal where batch = $1', [batch]);
  assert.equal(rowCount, 0);
});

test('a transaction lost in a crash is aborted: its id is unknown, or belongs to another, committed transaction', async () => {
  const mark = await transaction('rollback');
  const { xid } = await transaction('commit');
  assert.equal(await statusOf(other, { ...mark, xid }), 'aborted');
  const future = String(BigInt(xid ?? 0) + 1_000_000n);
  assert.equal(await statusOf(other, { ...mark, xid: future }), 'aborted');
});

test('on another timeline the status is unknown', async () => {
  const mark = await transaction('commit');
  assert.equal(await statusOf(other, { ...mark, timeline: '0000FFFF' }), null);
});
