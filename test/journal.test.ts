// The change journal, read from one moment to the next.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { appendJournal, readJournal, trimJournal, type Snapshot } from '../src/store/journal.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';

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

test('while somebody’s transaction stays open each change is read once, and his when he commits', async () => {
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

test('trimming what was read loses nothing, though somebody’s older transaction is open; what was not read is missed', async () => {
  const begun = await read(null);
  await somebody.query('begin');
  await appendJournal(somebody, { variant_ids: [1] });
  await appendJournal(client, { variant_ids: [2] });
  const held = await read(begun.snapshot);
  await trimJournal(client, 0);
  assert.equal((await read(begun.snapshot)).is_known, false);
  // Other databases of the server have transactions too: one that was older and has ended may have been trimmed.
  const isKnownNow = async (): Promise<boolean> => (await read((await read(null)).snapshot)).is_known;
  while (!(await isKnownNow()));
  await somebody.query('commit');
  await trimJournal(client, 0);
  assert.equal((await read(held.snapshot)).is_known, false);
});
