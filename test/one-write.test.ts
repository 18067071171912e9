// The statements of a batch leave together, and nothing is held back afterwards, whatever becomes of the work.
import assert from 'node:assert/strict';
import type { Writable } from 'node:stream';
import { after, test } from 'node:test';
import pg from 'pg';
import { inOneWrite } from '../src/store/connections.ts';
import { createDatabase } from '../verify/kit/database.ts';

const database = await createDatabase();
const client = new pg.Client({ connectionString: database.url, pipeline: true });
await client.connect();
after(async () => {
  await client.end();
  await database.drop();
});
const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;

test('several statements leave in one write, and are answered', async () => {
  const answers = await inOneWrite(client, () => {
    const asked = [1, 2, 3].map((n) => client.query({ text: 'select $1::int as n', values: [n] }));
    assert.ok(stream.writableLength > 100, 'nothing has left yet');
    return Promise.all(asked);
  });
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  );
});

test('work that fails, at once or later, holds nothing back', async () => {
  const fail = (): never => {
    throw new RangeError('at once');
  };
  assert.throws(() => inOneWrite(client, fail), /at once/);
  assert.equal(stream.writableCorked, 0);
  await assert.rejects(
    inOneWrite(client, () => client.query('select 1 / 0')),
    /division by zero/,
  );
  assert.equal(stream.writableCorked, 0);
  assert.equal((await client.query('select 1')).rowCount, 1);
});
