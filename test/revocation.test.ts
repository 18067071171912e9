// Contract 5.2a: credentials must be valid at the moment of the change. The headers arrive, then the credentials are
// revoked, then the body arrives: nothing is changed. The same is true for a request that waits in the gate for a row that
// another transaction holds.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { changeUser } from '../src/platform/accounts/changes.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { insertToken, endToken } from '../src/platform/accounts/tokens-store.ts';
import { adminToken } from './kit/desk.ts';
import { makeAccount } from './kit/accounts.ts';
import { signatureOf } from './kit/signing.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, startTestService, type ChannelCall, type HttpAnswer } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const { gate, pool } = service.service.services;
await makeAccount(service, 'admin'); // so that no account of a test is the last administrator
const make = fixtures(service);
const BY = { actor: 'test', request_id: null };

interface Late {
  /** Sends the body, and returns the status and body of the answer. */
  finish(): Promise<{ status: number; text: string }>;
}

/** A request whose headers have arrived, but whose body has not. */
async function late(path: string, headers: Record<string, string>, body: object): Promise<Late> {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text) });
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  const arrived = once(service.service.app.server, 'request') as Promise<[IncomingMessage]>;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: s\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  const [request] = await arrived;
  await until(
    () => request.listenerCount('data') > 0,
    'the credentials are accepted and the body is awaited',
  );
  assert.equal(received, '');
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
  return { name, token: await adminToken(pool, 'admin', name) };
};
const tokensNamed = async (name: string): Promise<number> =>
  (await pool.query('select from admin_token where name = $1', [name])).rowCount ?? 0;

test('a token that is revoked before its request body arrives creates no new token', async () => {
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

test('an order is refused if its address is removed from the allowed addresses before its body arrives', async () => {
  const { channel, sku } = await make.setting(5);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const request = await late('/api/v1/orders', { 'x-api-key': channel.api_key }, order);
  const allowed_addresses = ['203.0.113.7'];
  await must(service.admin('PATCH', `/channels/${channel.id}`, { allowed_addresses }), 200);
  const { status, text } = await request.finish();
  assert.deepEqual([status, JSON.parse(text)], [401, { error: 'The API key is not valid.' }]);
});

test('a session creates no token if its user is deactivated or gets another role before the request body arrives', async () => {
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

test('a revocation waits for open transactions of the token, and none commits after its answer', async () => {
  const { name, token } = await newToken();
  const wanted = unique('heir');
  const blocker = await pool.connect();
  await blocker.query('begin');
  // The request has locked its token and waits here, because an open transaction has inserted the same name.
  await insertToken(blocker, wanted, 'viewer');
  const creating = service.admin('POST', '/tokens', { name: wanted, role: 'admin' }, token);
  await waiting('token_insert');
  const order: string[] = [];
  const revoking = inTransaction(pool, (tx) => endToken(tx, name)).then(() => order.push('revoked'));
  await waiting('token_lock_by_name');
  await blocker.query('rollback');
  blocker.release();
  const answer = await creating.finally(() => order.push('created'));
  await revoking;
  assert.equal(answer.status, 201);
  assert.deepEqual(order.toSorted(), ['created', 'revoked']);
  assert.equal((await service.admin('GET', '/tokens', undefined, token)).status, 401);
});

/** Waits until a backend waits for a lock in this statement. */
async function waiting(statement: string): Promise<void> {
  const wanted = {
    token_insert: /insert into admin_token/,
    session: /account_session/,
    token_lock_by_name: /from admin_token .* for update/,
    order_history_insert: /insert into order_history/,
  }[statement];
  await until(async () => {
    const { rows } = await pool.query<{ query: string }>(
      `select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.some(({ query }) => wanted?.test(query));
  }, `a backend waits in ${statement}`);
}

test('an account that is deactivated while its request waits for the account row commits nothing afterwards', async () => {
  const { user, visitor } = await signedIn(service, 'admin');
  const wanted = unique('heir');
  const client = await pool.connect();
  await client.query('begin');
  await changeUser(client, BY, { user: user.id, is_active: false });
  const creating = visitor.call('POST', '/tokens', { name: wanted, role: 'admin' });
  await waiting('session');
  await client.query('commit');
  client.release();
  assert.equal((await creating).status, 401);
  assert.equal(await tokensNamed(wanted), 0);
});

test('credentials that are still valid when the body arrives are accepted', async () => {
  const name = unique('heir');
  const request = await late('/admin/v1/tokens', bearer(ADMIN_TOKEN), { name, role: 'viewer' });
  assert.equal((await request.finish()).status, 201);
});

/** Changes after which a request is refused, and the text of the 401. */
const ENDINGS: [what: string, end: (channel: TestChannel) => Promise<unknown>, text: RegExp][] = [
  [
    'the key is rotated',
    ({ id }) => must(service.admin('POST', `/channels/${id}/rotate-key`), 200),
    /The API key is not valid/,
  ],
  [
    'the channel is deactivated',
    ({ id }) => must(service.admin('PATCH', `/channels/${id}`, { is_active: false }), 200),
    /The API key is not valid/,
  ],
  [
    'signatures become required',
    async ({ id }) => {
      await must(service.admin('POST', `/channels/${id}/signing-secrets`), 201);
      await must(service.admin('PUT', `/channels/${id}/signing`, { mode: 'required' }), 200);
    },
    /must be signed/,
  ],
];

for (const [what, end, expected] of ENDINGS) {
  test(`a small or large request is refused if ${what} before its body arrives`, async () => {
    // A large body is counted in the byte budget.
    for (const padding of ['', 'x'.repeat(20_000)]) {
      const { channel, variant, sku } = await make.setting(10);
      const own = { 'x-api-key': channel.api_key };
      const order = () => orderOf([{ sku, quantity: 1, unit_price: 1 }], { padding });
      const before = order();
      assert.equal((await channel.call('POST', '/orders', before)).status, 201);
      const requests = [
        await late('/api/v1/orders', own, order()),
        await late(`/api/v1/orders/${before.order_number}/status`, own, { status: 88, reason: 'r', padding }),
        // The only one that the gate does not check once more.
        await late('/api/v1/inventory/lookup', own, { skus: [sku], padding }),
      ];
      await end(channel);
      for (const request of requests) {
        const { status, text } = await request.finish();
        assert.equal(status, 401, text);
        assert.match(text, expected);
      }
      assert.equal((await make.stock(variant)).unshipped, 1, 'no order was accepted or cancelled');
    }
  });
}

test('a rotation with an overlap does not affect a request whose body arrives later', async () => {
  const { channel, sku } = await make.setting(10);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const request = await late('/api/v1/orders', { 'x-api-key': channel.api_key }, order);
  await must(service.admin('POST', `/channels/${channel.id}/rotate-key`, { overlap_seconds: 60 }), 200);
  assert.equal((await request.finish()).status, 201);
});

/** Holds stock and order rows, sends the requests, makes the change once all of them wait, and releases the rows. */
async function whileHeld(
  { variant, orderIds }: { variant: string; orderIds: number[] },
  send: () => Promise<HttpAnswer>[],
  waitingCount: number,
  change: () => Promise<unknown>,
): Promise<HttpAnswer[]> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from orders where id = any($1) for update', [orderIds]);
    await holder.query(
      'select from stock where variant_id = (select id from variant where code = $1) for update',
      [variant],
    );
    const answers = Promise.all(send());
    await until(() => gate.held >= waitingCount, `${waitingCount} commands wait`);
    await change();
    await holder.query('rollback');
    return await answers;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

const idsOf = async (numbers: readonly string[]): Promise<number[]> => {
  const found = await pool.query<{ id: number }>(
    'select id from orders where order_number = any($1) order by array_position($1, order_number)',
    [numbers],
  );
  return found.rows.map(({ id }) => id);
};

const rotate = async ({ id }: TestChannel, overlap_seconds = 0): Promise<string> =>
  (await must(service.admin('POST', `/channels/${id}/rotate-key`, { overlap_seconds }), 200))
    .api_key as string;
const addSecret = ({ id }: TestChannel): Promise<{ id: number; secret: string }> =>
  must(service.admin('POST', `/channels/${id}/signing-secrets`), 201);
const setSigning = ({ id }: TestChannel, mode: string) =>
  must(service.admin('PUT', `/channels/${id}/signing`, { mode }), 200);
const endPrevious = ({ id }: TestChannel) => service.admin('DELETE', `/channels/${id}/previous-key`);

interface Plot {
  /** The key of the requests; the first key by default. */
  key?: string;
  /** Signs the requests; unsigned by default. */
  secret?: string;
  /** Runs while the requests wait. */
  change: () => Promise<unknown>;
}

/** `reason`: the Sluice-Error of both requests, which get 401; null: both are carried out. */
const PLOTS: [fate: string, begin: (channel: TestChannel) => Plot | Promise<Plot>, reason: string | null][] =
  [
    [
      'are refused when their key is rotated',
      (channel) => ({ change: () => rotate(channel) }),
      'key_invalid',
    ],
    [
      'are carried out when their key is rotated with an overlap',
      (channel) => ({ change: () => rotate(channel, 60) }),
      null,
    ],
    [
      'are refused when they use the previous key and it is ended',
      async (channel) => {
        await rotate(channel, 60);
        return { change: () => endPrevious(channel) };
      },
      'key_invalid',
    ],
    [
      'are refused when they use the previous key and it expires',
      async (channel) => {
        await rotate(channel, 60);
        const expire = 'update channel set previous_key_valid_until = clock_timestamp() where id = $1';
        return { change: () => pool.query(expire, [channel.id]) };
      },
      'key_invalid',
    ],
    [
      'are refused when they use the previous key and another rotation with an overlap replaces it',
      async (channel) => {
        await rotate(channel, 60);
        return { change: () => rotate(channel, 60) };
      },
      'key_invalid',
    ],
    [
      'are carried out when they use the current key and the previous key is ended',
      async (channel) => ({ key: await rotate(channel, 60), change: () => endPrevious(channel) }),
      null,
    ],
    [
      'are refused when their channel is deactivated',
      ({ id }) => ({ change: () => service.admin('PATCH', `/channels/${id}`, { is_active: false }) }),
      'key_invalid',
    ],
    [
      'are refused when a signature becomes required and they have none',
      async (channel) => {
        await addSecret(channel);
        return { change: () => setSigning(channel, 'required') };
      },
      'signature_missing',
    ],
    [
      'are carried out when a signature becomes required and they have one',
      async (channel) => {
        const { secret } = await addSecret(channel);
        await setSigning(channel, 'accepted');
        return { secret, change: () => setSigning(channel, 'required') };
      },
      null,
    ],
    [
      'are refused when the secret that signed them is removed',
      async (channel) => {
        const { id, secret } = await addSecret(channel);
        await setSigning(channel, 'accepted');
        const path = `/channels/${channel.id}/signing-secrets/${id}`;
        return { secret, change: () => service.admin('DELETE', path) };
      },
      'signature_invalid',
    ],
    [
      'are carried out when another signing secret is removed',
      async (channel) => {
        const { id } = await addSecret(channel);
        const { secret } = await addSecret(channel);
        await setSigning(channel, 'required');
        const path = `/channels/${channel.id}/signing-secrets/${id}`;
        return { secret, change: () => service.admin('DELETE', path) };
      },
      null,
    ],
  ];

for (const [fate, begin, reason] of PLOTS) {
  test(`an order and a report that wait in the gate ${fate}`, async () => {
    const { channel, variant, sku } = await make.setting(10);
    const stored = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
    await must(channel.call('POST', '/orders', stored), 201);
    const { key = channel.api_key, secret, change } = await begin(channel);
    const post = (path: string, body: object): Promise<HttpAnswer> => {
      const signed = { method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) };
      const headers = secret === undefined ? {} : signatureOf(secret, signed);
      return service.channel(key)('POST', path, body, headers);
    };
    const answers = await whileHeld(
      { variant: variant.code, orderIds: await idsOf([stored.order_number]) },
      () => [
        post('/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
        post(`/orders/${stored.order_number}/status`, { status: 2 }),
      ],
      2,
      change,
    );
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('sluice-error')]),
      reason === null
        ? [
            [201, null],
            [200, null],
          ]
        : [
            [401, reason],
            [401, reason],
          ],
    );
    assert.equal((await make.stock(variant)).unshipped, reason === null ? 2 : 1);
    const [order] = (
      await pool.query('select status from orders where order_number = $1', [stored.order_number])
    ).rows as { status: number }[];
    assert.equal(order?.status, reason === null ? 2 : 1);
  });
}

test('a process that does not know of the rotation yet accepts nothing with the old key, not even a resend', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  // Rotates the key as another process does, before its NOTIFY arrives. The hash changes too, as in every rotation.
  // Otherwise the service would read the old key as valid again, if the NOTIFY of the new channel arrives only now.
  await pool.query(
    `update channel set key_version = key_version + 1, key_hash = sha256('rotated'::bytea || key_hash) where id = $1`,
    [channel.id],
  );
  const answers = [
    await channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    await channel.call('POST', '/orders', order),
    await channel.call('POST', `/orders/${order.order_number}/status`, { status: 88 }),
  ];
  for (const { status, headers, json } of answers) {
    assert.deepEqual([status, headers.get('sluice-error')], [401, 'key_invalid']);
    assert.deepEqual(json, { error: 'The API key is not valid.' });
  }
  assert.equal((await make.stock(variant)).unshipped, 1);
});

/** Callers of the back office, and the change that ends their credential. */
const DESK: [what: string, begin: () => Promise<{ call: ChannelCall; end: () => Promise<unknown> }>][] = [
  [
    'token is revoked',
    async () => {
      const { name, token } = await newToken();
      return {
        call: (method, path, body) => service.admin(method, path, body, token),
        end: () => inTransaction(pool, (tx) => endToken(tx, name)),
      };
    },
  ],
  [
    'session is ended',
    async () => {
      const { visitor } = await signedIn(service, 'operator');
      return {
        call: (...request) => visitor.call(...request),
        end: () => visitor.call('DELETE', '/session'),
      };
    },
  ],
  [
    'account gets another role',
    async () => {
      const { user, visitor } = await signedIn(service, 'operator');
      return {
        call: (...request) => visitor.call(...request),
        end: () => must(service.admin('PATCH', `/users/${user.id}`, { role: 'admin' }), 200),
      };
    },
  ],
];

async function fourOrders(): Promise<{ variant: string; ids: number[] }> {
  const { channel, variant, sku } = await make.setting(10);
  const orders = [1, 2, 3, 4].map(() => orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  for (const order of orders) await must(channel.call('POST', '/orders', order), 201);
  return { variant: variant.code, ids: await idsOf(orders.map(({ order_number }) => order_number)) };
}

const statusesOf = async (ids: readonly number[]): Promise<number[]> =>
  (
    await pool.query<{ status: number }>('select status from orders where id = any($1) order by id', [ids])
  ).rows.map(({ status }) => status);

for (const [what, begin] of DESK) {
  test(`back-office reports that wait in the gate change nothing when their ${what}`, async () => {
    const { variant, ids } = await fourOrders();
    const [single, first, second, free] = ids as [number, number, number, number];
    const { call, end } = await begin();
    const bulk = (...changed: number[]) => {
      const changes = changed.map((id) => ({ id, status: 2 }));
      return call('POST', '/orders/bulk-status', { changes });
    };
    const [one, many, mixed] = await whileHeld(
      { variant, orderIds: [single, first, second] },
      () => [
        call('POST', `/orders/${single}/status`, { status: 88, reason: 'r' }),
        bulk(first),
        bulk(second, free),
      ],
      3,
      async () => {
        await until(
          async () => (await statusesOf([free]))[0] === 2,
          'the report on the order that is not held',
        );
        await end();
      },
    );
    for (const answer of [one, many]) {
      assert.equal(answer?.status, 401, answer?.text);
      assert.equal(answer?.headers.get('www-authenticate'), 'Bearer');
    }
    // The answer includes the change that was made before the credential ended.
    assert.equal(mixed?.status, 200, mixed?.text);
    assert.partialDeepStrictEqual(mixed?.json.data.results, [
      { id: second, ok: false, code: 'unauthorized' },
      { id: free, ok: true, code: null },
    ]);
    assert.deepEqual(await statusesOf(ids), [1, 1, 1, 2]);
  });
}

test('back-office reports that wait in the gate are carried out while their credential is valid', async () => {
  const { variant, ids } = await fourOrders();
  const { token } = await newToken();
  const { visitor } = await signedIn(service, 'operator');
  const unrelated = await newToken();
  const answers = await whileHeld(
    { variant, orderIds: ids },
    () => [
      service.admin('POST', `/orders/${ids[0]}/status`, { status: 2 }, token),
      visitor.call('POST', `/orders/${ids[1]}/status`, { status: 2 }),
      service.admin('POST', `/orders/${ids[2]}/status`, { status: 2 }),
    ],
    3,
    () => inTransaction(pool, (tx) => endToken(tx, unrelated.name)),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
});

test('a revocation waits for a batch of the gate that writes with the token', async () => {
  const { ids } = await fourOrders();
  const { name, token } = await newToken();
  const blocker = await pool.connect();
  await blocker.query('begin');
  // The batch has decided and waits here, because an open transaction has inserted the same step.
  await blocker.query(
    `insert into order_history (order_id, from_status, to_status, source) values ($1, 1, 2, 'channel')`,
    [ids[0]],
  );
  const reporting = service.admin('POST', `/orders/${ids[0]}/status`, { status: 2 }, token);
  await waiting('order_history_insert');
  const order: string[] = [];
  const revoking = inTransaction(pool, (tx) => endToken(tx, name)).then(() => order.push('revoked'));
  await waiting('token_lock_by_name');
  order.push('released');
  await blocker.query('rollback');
  blocker.release();
  assert.equal((await reporting).status, 200);
  await revoking;
  assert.deepEqual(order, ['released', 'revoked']);
});

test('a token that is locked by its revocation delays no batch: its report is refused immediately', async () => {
  const { ids } = await fourOrders();
  const { name, token } = await newToken();
  await must(service.admin('GET', '/orders', undefined, token), 200); // stores its last use
  const revoker = await pool.connect();
  await revoker.query('begin');
  await endToken(revoker, name);
  const answer = await service.admin('POST', `/orders/${ids[0]}/status`, { status: 2 }, token);
  await revoker.query('rollback');
  revoker.release();
  assert.equal(answer.status, 401, answer.text);
  assert.deepEqual(await statusesOf(ids), [1, 1, 1, 1]);
});
