// The change journal, read from one snapshot to the next.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readJournal } from '../src/core/journal/since-store.ts';
import type { Snapshot } from '../src/core/journal/snapshot-rules.ts';
import { appendJournal, trimJournal } from '../src/core/journal/store.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const [client, somebody] = [await connect(database.url), await connect(database.url)];
after(async () => {
  await Promise.all([client.end(), somebody.end()]);
  await database.drop();
});

async function read(since: Snapshot | null) {
  const { snapshot, is_known, variant_ids } = await readJournal(client, since);
  return { snapshot, is_known, variants: variant_ids.toSorted((a, b) => a - b) };
}

test('while a transaction is open, the changes of others are read once; its own changes are read after its commit', async () => {
  const begun = await read(null);
  await somebody.query('begin');
  await appendJournal(somebody, { variant_ids: [1] });
  await appendJournal(client, { variant_ids: [2] });
  await appendJournal(client, { variant_ids: [3] });
  const both = await read(begun.snapshot);
  assert.deepEqual([both.variants, both.is_known], [[2, 3], true]);
  await appendJournal(client, { variant_ids: [4] });
  const next = await read(both.snapshot);
  assert.deepEqual([next.variants, next.is_known], [[4], true]);
  await somebody.query('commit');
  const late = await read(next.snapshot);
  assert.deepEqual([late.variants, late.is_known], [[1], true]);
  assert.deepEqual((await read(late.snapshot)).variants, []);
  assert.deepEqual((await read(begun.snapshot)).variants, [1, 2, 3, 4]);
});

test('trimming, also while an older transaction is open: a snapshot is known only if every trimmed entry was visible in it', async () => {
  const begun = await read(null);
  await somebody.query('begin');
  await appendJournal(somebody, { variant_ids: [1] });
  await appendJournal(client, { variant_ids: [2] });
  const held = await read(begun.snapshot);
  await trimJournal(client, 0);
  assert.equal((await read(begun.snapshot)).is_known, false);
  // The snapshot also lists running transactions of other databases on the server. One that ends between the two reads
  // counts as possibly trimmed, so the read is repeated.
  const isKnownNow = async (): Promise<boolean> => (await read((await read(null)).snapshot)).is_known;
  await until(isKnownNow);
  await somebody.query('commit');
  await trimJournal(client, 0);
  assert.equal((await read(held.snapshot)).is_known, false);
});

test('the row of a long transaction is dated with its end: it is not trimmed before it is looked up', async () => {
  await somebody.query('begin');
  await somebody.query('select pg_sleep(0.2)');
  await appendJournal(somebody, { variant_ids: [1] });
  const { rows } = await somebody.query<{ ms: number }>(
    `select (extract(epoch from at - now()) * 1000)::int as ms from change_journal order by xid desc limit 1`,
  );
  await somebody.query('rollback');
  assert.ok(rows[0] && rows[0].ms >= 200, `${rows[0]?.ms} ms after its begin`);
});
