// Contract 5.2a: identity holds at the moment of the change. Headers first, then the credentials are taken away, then the
// body: nothing is done.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeAccount } from '../src/store/accounts.ts';
import { inTransaction } from '../src/store/transactions.ts';
import { insertToken, revokeToken } from '../src/store/tokens.ts';
import { makeAccount } from './kit/accounts.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, startTestService } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';

const service = await startTestService();
const { pool } = service.service.services;
await makeAccount(service, 'admin'); // never the last one
const make = fixtures(service);
const BY = { actor: 'test', request_id: null };

interface Late {
  /** Sends the body and gives the status and the body of the answer. */
  finish(): Promise<{ status: number; text: string }>;
}

/** A request whose headers have arrived, and whose body has not. */
async function late(path: string, headers: Record<string, string>, body: object): Promise<Late> {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text) });
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  const arrived = once(service.service.app.server, 'request');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: s\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  await arrived;
  // The credentials have been looked at: by then the service waits for the body.
  await sleep(100);
  assert.equal(received, '', 'the headers are accepted');
  return {
    async finish() {
      socket.write(text);
      while (!received.includes('\r\n\r\n')) await once(socket, 'data');
      socket.destroy();
      return { status: Number(received.split(' ')[1]), text: received.split('\r\n\r\n')[1] ?? '' };
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookieOf = (visitor: { cookie: string | null; csrf: string | null }) => ({
  cookie: visitor.cookie ?? '',
  'x-csrf-token': visitor.csrf ?? '',
});
const newToken = async (): Promise<{ name: string; token: string }> => {
  const name = unique('token');
  return { name, ...(await inTransaction(pool, (tx) => insertToken(tx, name, 'admin'))) };
};
const tokensNamed = async (name: string): Promise<number> =>
  (await pool.query('select from admin_token where name = $1', [name])).rowCount ?? 0;

test('a token that is revoked while its body is on the way makes no new token', async () => {
  const { name, token } = await newToken();
  const wanted = unique('heir');
  const request = await late('/admin/v1/tokens', bearer(token), { name: wanted, role: 'admin' });
  const tokens = await must(service.admin('GET', '/tokens?limit=200'), 200);
  const { id } = (tokens as { id: number; name: string }[]).find((one) => one.name === name) ?? { id: 0 };
  assert.equal((await service.admin('DELETE', `/tokens/${id}`)).status, 204);
  const { status, text } = await request.finish();
  assert.equal(status, 401, text);
  assert.equal(await tokensNamed(wanted), 0);
});

test('neither does the session of a user who is deactivated, or gets another role', async () => {
  for (const change of [{ is_active: false }, { role: 'viewer' }]) {
    const { user, visitor } = await signedIn(service, 'admin');
    const wanted = unique('heir');
    const request = await late('/admin/v1/tokens', cookieOf(visitor), { name: wanted, role: 'admin' });
    await must(service.admin('PATCH', `/users/${user.id}`, change), 200);
    const { status, text } = await request.finish();
    assert.equal(status, 401, text);
    assert.equal(await tokensNamed(wanted), 0);
  }
});

test('a revocation waits for transactions of the token, and once it is answered none is committed', async () => {
  const { name, token } = await newToken();
  const wanted = unique('heir');
  const blocker = await pool.connect();
  await blocker.query('begin');
  // The request holds its token and waits here: the new name is taken by a transaction that is not over.
  await insertToken(blocker, wanted, 'viewer');
  const creating = service.admin('POST', '/tokens', { name: wanted, role: 'admin' }, token);
  await waiting('token_insert');
  const order: string[] = [];
  const revoking = inTransaction(pool, (tx) => revokeToken(tx, name)).then(() => order.push('revoked'));
  await waiting('token_lock_by_name');
  await blocker.query('rollback');
  blocker.release();
  const answer = await creating.finally(() => order.push('created'));
  await revoking;
  assert.equal(answer.status, 201);
  assert.deepEqual(order.toSorted(), ['created', 'revoked']);
  assert.equal((await service.admin('GET', '/tokens', undefined, token)).status, 401);
});

/** Until a backend waits for a lock in this statement. */
async function waiting(statement: string): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    const { rows } = await pool.query<{ query: string }>(
      `select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    const wanted = { token_insert: /insert into admin_token/, token_lock_by_name: /for update/ }[statement];
    if (rows.some(({ query }) => wanted?.test(query))) return;
    await sleep(20);
  }
  assert.fail(`nothing waits in ${statement}`);
}

test('an account that is deactivated while its transaction waits for it commits nothing afterwards', async () => {
  const { user, visitor } = await signedIn(service, 'admin');
  const wanted = unique('heir');
  const client = await pool.connect();
  await client.query('begin');
  await changeAccount(client, BY, user.id, { is_active: false });
  const creating = visitor.call('POST', '/tokens', { name: wanted, role: 'admin' });
  await sleep(200);
  await client.query('commit');
  client.release();
  assert.equal((await creating).status, 401);
  assert.equal(await tokensNamed(wanted), 0);
});

test('credentials that are still valid when the body arrives are taken', async () => {
  const name = unique('heir');
  const request = await late('/admin/v1/tokens', bearer(ADMIN_TOKEN), { name, role: 'viewer' });
  assert.equal((await request.finish()).status, 201);
});

/** What takes the right to send away, and the text of the 401. */
const ENDINGS: [what: string, end: (channel: TestChannel) => Promise<unknown>, text: RegExp][] = [
  [
    'whose key is rotated',
    ({ id }) => must(service.admin('POST', `/channels/${id}/rotate-key`), 200),
    /The API key is not valid/,
  ],
  [
    'that is deactivated',
    ({ id }) => must(service.admin('PATCH', `/channels/${id}`, { is_active: false }), 200),
    /The API key is not valid/,
  ],
  [
    'that must sign from now on',
    async ({ id }) => {
      await must(service.admin('POST', `/channels/${id}/signing-secrets`), 201);
      await must(service.admin('PUT', `/channels/${id}/signing`, { mode: 'required' }), 200);
    },
    /must be signed/,
  ],
];

for (const [what, end, expected] of ENDINGS) {
  test(`a body on the way from a channel ${what} is refused, whether it is small or large`, async () => {
    // A large body passes through the byte budget.
    for (const padding of ['', 'x'.repeat(20_000)]) {
      const { channel, variant, sku } = await make.setting(10);
      const own = { 'x-api-key': channel.api_key };
      const order = () => orderOf([{ sku, quantity: 1, unit_price: 1 }], { padding });
      const before = order();
      assert.equal((await channel.call('POST', '/orders', before)).status, 201);
      const requests = [
        await late('/api/v1/orders', own, order()),
        await late(`/api/v1/orders/${before.order_number}/status`, own, { status: 88, reason: 'r', padding }),
      ];
      await end(channel);
      for (const request of requests) {
        const { status, text } = await request.finish();
        assert.equal(status, 401, text);
        assert.match(text, expected);
      }
      assert.equal((await make.stock(variant)).unshipped, 1, 'nothing was taken, nothing was cancelled');
    }
  });
}

test('a rotation with an overlap does not disturb a body on the way', async () => {
  const { channel, sku } = await make.setting(10);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const request = await late('/api/v1/orders', { 'x-api-key': channel.api_key }, order);
  await must(service.admin('POST', `/channels/${channel.id}/rotate-key`, { overlap_seconds: 60 }), 200);
  assert.equal((await request.finish()).status, 201);
});
