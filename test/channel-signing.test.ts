// Signed requests: the modes off, accepted and required; two live secrets; the time window; the exact bytes signed.
import { shiftClock } from './kit/shifted-date.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCareful, assertInvalid, assertRefused } from './kit/answers.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { nowSeconds, signatureOf } from './kit/signing.ts';
import { until } from '../verify/kit/until.ts';

const one = await startTestService();
const two = await startTestService({ database: one.database });
for (const { service } of [one, two]) await service.services.keyUses.close();
const make = fixtures(one);
const { admin, audits } = desk(one);

const newSecret = (channel: TestChannel): Promise<{ id: number; secret: string; created_at: string }> =>
  must(admin('POST', `/channels/${channel.id}/signing-secrets`), 201);
const choose = (channel: TestChannel, mode: string) =>
  must(admin('PUT', `/channels/${channel.id}/signing`, { mode }), 200);
const remove = (channel: TestChannel, id: number) =>
  admin('DELETE', `/channels/${channel.id}/signing-secrets/${id}`);

/** A channel with stock, a secret and a mode. */
async function signing(mode: string) {
  const { channel, sku } = await make.setting(1_000);
  const { id, secret } = await newSecret(channel);
  await choose(channel, mode);
  return { channel, sku, id, secret };
}

interface Signed {
  method?: string;
  /** Without the prefix /api/v1. */
  path?: string;
  body?: string | Uint8Array;
  timestamp?: number | string;
}

const send = (channel: TestChannel, secret: string, signed: Signed, sent: Signed = {}) => {
  const { method = 'GET', path = '/inventory', body, timestamp } = signed;
  const text = { method, path: `/api/v1${path}`, ...(body === undefined ? {} : { body }) };
  const request = { method, path, body, ...sent };
  return channel.call(request.method, request.path, request.body, signatureOf(secret, text, timestamp));
};

function assertUnsigned(answer: HttpAnswer, code: string): void {
  assert.equal(answer.status, 401, answer.text);
  assertCareful(answer);
  assert.deepEqual(Object.keys(answer.json), ['error', 'code']);
  assert.equal(answer.json.code, code);
  assert.equal(answer.headers.get('sluice-error'), code);
}

const orderText = (sku: string): string => JSON.stringify(orderOf([{ sku, quantity: 1, unit_price: 1 }]));

test('mode required: the four operations work if signed and are refused if not', async () => {
  const { channel, sku, secret } = await signing('required');
  const body = orderText(sku);
  const number = (JSON.parse(body) as { order_number: string }).order_number;
  const requests: [Signed, number][] = [
    [{ method: 'GET', path: '/inventory' }, 200],
    [{ method: 'GET', path: '/inventory?some=thing&x=%20' }, 200],
    [{ method: 'GET', path: `/inventory/${sku}` }, 200],
    [{ method: 'POST', path: '/orders', body }, 201],
    [{ method: 'POST', path: `/orders/${number}/status`, body: '{"status":2}' }, 200],
  ];
  for (const [request, status] of requests) {
    const { method = '', path = '', body: sent } = request;
    assertUnsigned(await channel.call(method, path, sent), 'signature_missing');
    const answer = await send(channel, secret, request);
    assert.equal(answer.status, status, answer.text);
  }
  assert.equal(
    (await send(channel, secret, { method: 'POST', path: '/orders', body })).status,
    200,
    'a replay',
  );
  assert.equal((await send(channel, secret, { method: 'HEAD' })).status, 200);
});

test('the path is signed as it was sent, and the body byte for byte, also in Korean', async () => {
  const { channel, secret } = await signing('required');
  const sku = await make.map(channel, await make.variant(5), '렌즈 1/2');
  const path = `/inventory/${encodeURIComponent(sku)}`;
  assert.equal((await send(channel, secret, { path })).status, 200);
  assertUnsigned(await send(channel, secret, { path: `/inventory/${sku}` }, { path }), 'signature_invalid');
  const body = ` ${orderText(sku)}\n`;
  assert.equal((await send(channel, secret, { method: 'POST', path: '/orders', body })).status, 201);
});

test('a request that was changed after signing is refused, and no order is accepted', async () => {
  const { channel, sku, secret } = await signing('required');
  const body = orderText(sku);
  const order = { method: 'POST', path: '/orders', body };
  const elsewhere = await signing('required');
  const now = nowSeconds();
  const head = signatureOf(secret, { method: 'POST', path: '/api/v1/orders', body }, now);
  const wrong: [string, Promise<HttpAnswer>][] = [
    ['the body', send(channel, secret, order, { body: body.replace('"quantity":1', '"quantity":2') })],
    ['a byte after the body', send(channel, secret, order, { body: `${body} ` })],
    ['no body', send(channel, secret, order, { body: undefined as never })],
    ['an empty body', send(channel, secret, order, { body: '' })],
    ['the path', send(channel, secret, order, { path: '/orders?' })],
    ['the method', send(channel, secret, { path: '/inventory', method: 'POST' }, { method: 'GET' })],
    ['the secret of another channel', send(channel, elsewhere.secret, order)],
    ['the timestamp', channel.call('POST', '/orders', body, { ...head, 'x-sluice-timestamp': `${now + 1}` })],
    [
      'the version',
      channel.call('POST', '/orders', body, {
        ...head,
        'x-sluice-signature': head['x-sluice-signature'].replace('v1', 'v2'),
      }),
    ],
    [
      'too short',
      channel.call('POST', '/orders', body, {
        ...head,
        'x-sluice-signature': head['x-sluice-signature'].slice(0, -2),
      }),
    ],
    [
      'not hexadecimal',
      channel.call('POST', '/orders', body, { ...head, 'x-sluice-signature': `v1=${'g'.repeat(64)}` }),
    ],
    ['not a time', channel.call('POST', '/orders', body, signatureOf(secret, order, 'now'))],
    ['a fraction', channel.call('POST', '/orders', body, signatureOf(secret, order, `${now}.5`))],
  ];
  for (const [what, answer] of wrong) {
    const refused = await answer;
    assert.equal(refused.json.code, 'signature_invalid', what);
    assertUnsigned(refused, 'signature_invalid');
  }
  const { 'x-sluice-timestamp': _left, ...half } = head;
  assertUnsigned(await channel.call('POST', '/orders', body, half), 'signature_missing');
  await choose(channel, 'off');
  assert.equal(await make.available(channel, sku), 1_000);
  assert.equal((await channel.call('POST', '/orders', body)).status, 201, 'a changed request was accepted');
});

test('a timestamp may be up to five minutes off in either direction', async () => {
  const { channel, secret } = await signing('required');
  for (const away of [-270, 0, 270])
    assert.equal((await send(channel, secret, { timestamp: nowSeconds() + away })).status, 200, `${away} s`);
  // 361 s leave the request a minute to reach the service.
  for (const away of [-301, 361, -1_000_000])
    assertUnsigned(await send(channel, secret, { timestamp: nowSeconds() + away }), 'signature_expired');
});

test('a signed request that waits for a change is judged by the time at which it arrived, also by a policy that is newer', async (t) => {
  const { channel, sku, secret } = await signing('required');
  const order = { method: 'POST', path: '/orders', body: orderText(sku) };
  const taken = await must(send(channel, secret, order), 201);
  const start = await send(channel, secret, { path: '/orders?changes_since=now' });
  const path = `/orders?changes_since=${start.json.changes_since}&wait=30`;
  const waiting = send(channel, secret, { path, timestamp: nowSeconds() - 240 });
  await until(() => one.service.services.changeWatch.waiting === 1, 'the request waits');
  // Six minutes after the signature. The new secret is a change of the policy, which is applied after the wait.
  shiftClock(t, 120_000);
  await newSecret(channel);
  await must(
    admin('POST', `/orders/${taken.id}/status`, { status: 3, tracking_number: 'T', courier_code: 'cj' }),
    200,
  );
  const { status, text, json } = await waiting;
  assert.equal(status, 200, text);
  assert.equal(json.changes.length, 1);
});

test('the key is checked first, then the signature, then the body; a wrong body gets its usual answer', async () => {
  const { channel, secret } = await signing('required');
  const bad = '{"order_number":';
  const order = { method: 'POST', path: '/orders', body: bad };
  assertRefused(await one.channel(undefined)('POST', '/orders', bad), 401, 'required');
  assertRefused(await one.channel('sluice_x')('POST', '/orders', bad), 401, 'not valid');
  assertUnsigned(await channel.call('POST', '/orders', bad), 'signature_missing');
  assertUnsigned(await send(channel, `${secret}x`, order), 'signature_invalid');
  assertInvalid(await send(channel, secret, order), 'body');
  for (const body of ['', '[]', Buffer.from([0x7b, 0xff, 0x7d])])
    assertInvalid(await send(channel, secret, { ...order, body }));
  assertInvalid(await send(channel, secret, { ...order, body: '{"order_number":7}' }));
  // Large bodies arrive in several chunks.
  const long = JSON.stringify({ ...orderOf([]), note: 'x'.repeat(500_000) });
  assertInvalid(await send(channel, secret, { ...order, body: long }), 'items');
  assertUnsigned(
    await send(channel, secret, { ...order, body: long }, { body: `${long} ` }),
    'signature_invalid',
  );
});

test('chunked transfer encoding: the signature covers the bytes of the body', async () => {
  const { channel, sku, secret } = await signing('required');
  const sendChunked = (body: string, signed: string): Promise<HttpAnswer | null> => {
    const headers = Object.entries(
      signatureOf(secret, { method: 'POST', path: '/api/v1/orders', body: signed }),
    );
    const head = [
      'POST /api/v1/orders HTTP/1.1',
      'Host: x',
      `X-Api-Key: ${channel.api_key}`,
      'Transfer-Encoding: chunked',
    ];
    const lines = [...head, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
    const chunks = [body.slice(0, 30), body.slice(30)].filter((part) => part !== '');
    const framed = chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
    return sendRaw(one.origin, `${lines}${framed}0\r\n\r\n`);
  };
  const body = JSON.stringify({ ...orderOf([{ sku, quantity: 1, unit_price: 1 }]), recipient_name: 'x' });
  assert.equal((await sendChunked(body, `${body}x`))?.json.code, 'signature_invalid');
  assert.equal((await sendChunked(body, body))?.status, 201);
  assert.equal((await sendChunked('', 'x'))?.json.code, 'signature_invalid');
  assert.equal((await sendChunked('', ''))?.status, 422);
});

test('mode accepted: unsigned requests are accepted, and a given signature must be valid; mode off: signatures are ignored', async () => {
  const { channel, sku, secret } = await signing('accepted');
  const order = () => ({ method: 'POST', path: '/orders', body: orderText(sku) });
  assert.equal((await channel.call('POST', '/orders', order().body)).status, 201);
  assert.equal((await send(channel, secret, order())).status, 201);
  assertUnsigned(await send(channel, `${secret}x`, order()), 'signature_invalid');
  assertUnsigned(await send(channel, secret, { timestamp: 1 }), 'signature_expired');
  assertUnsigned(
    await channel.call('GET', '/inventory', undefined, { 'x-sluice-signature': 'v1=00' }),
    'signature_missing',
  );
  assert.equal(
    (await channel.call('GET', '/inventory', undefined, { 'x-sluice-timestamp': 'now' })).status,
    200,
    'a timestamp without a signature counts as unsigned',
  );
  await choose(channel, 'off');
  assert.equal((await send(channel, `${secret}x`, order())).status, 201);
  assert.equal(
    (await channel.call('GET', '/inventory', undefined, { 'x-sluice-signature': 'rubbish' })).status,
    200,
  );
});

test('two secrets are live at the same time, and either signs in every process; a removed secret does not', async () => {
  const { channel, id, secret } = await signing('required');
  const there = { ...channel, call: two.channel(channel.api_key) };
  const second = await newSecret(channel);
  assert.match(second.secret, /^sls_[\w-]{43}$/);
  const full = await refusal(admin('POST', `/channels/${channel.id}/signing-secrets`), 422);
  assert.match(full.error ?? '', /2 signing secrets already/);
  for (const each of [secret, second.secret]) {
    assert.equal((await send(channel, each, {})).status, 200);
    await until(
      async () => (await send(there, each, {})).status === 200,
      'the other process accepts the secret',
    );
  }
  assert.equal((await remove(channel, id)).status, 204);
  assertUnsigned(await send(channel, secret, {}), 'signature_invalid');
  await until(
    async () => (await send(there, secret, {})).status === 401,
    'the other process refuses the removed secret',
  );
  assert.equal((await send(there, second.secret, {})).status, 200);
  await refusal(remove(channel, id), 404);
  const last = await refusal(remove(channel, second.id), 422);
  assert.match(last.error ?? '', /last signing secret cannot be removed while signing is required/);
  await choose(channel, 'accepted');
  assert.equal((await remove(channel, second.id)).status, 204);
  assertUnsigned(await send(channel, second.secret, {}), 'signature_invalid');
});

test('mode required needs a live secret; unknown modes, channels and secrets are refused', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/signing`;
  const none = await refusal(admin('PUT', path, { mode: 'required' }), 422);
  assert.match(none.error ?? '', /no signing secret: create one first/);
  for (const body of [{}, { mode: 'maybe' }, { mode: null }])
    assert.deepEqual(await fieldsRefused(admin('PUT', path, body)), ['mode']);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  await refusal(admin('PUT', '/channels/999999/signing', { mode: 'off' }), 404);
  await refusal(admin('POST', '/channels/999999/signing-secrets'), 404);
  const { id } = await newSecret(await make.channel());
  for (const other of [id, 999_999, 'x'])
    await refusal(admin('DELETE', `/channels/${channel.id}/signing-secrets/${other}`), 404);
});

test('concurrent changes never create a third secret or remove the last one', async () => {
  const channel = await make.channel();
  const making = Array.from({ length: 4 }, () => admin('POST', `/channels/${channel.id}/signing-secrets`));
  const made = await Promise.all(making);
  assert.deepEqual(
    made.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 422, 422],
  );
  await choose(channel, 'required');
  const ids = made.flatMap(({ json }) => json.data?.id ?? []) as number[];
  const gone = await Promise.all(ids.map((id) => remove(channel, id)));
  assert.deepEqual(
    gone.map(({ status }) => status).toSorted((a, b) => a - b),
    [204, 422],
  );
});

test('a signing secret is shown with its last use but without its value, audited without it, and stored sealed', async () => {
  const { channel, id, secret } = await signing('required');
  const shown = async () => (await must(admin('GET', `/channels/${channel.id}`), 200)).signing;
  const { mode, secrets } = await shown();
  assert.equal(mode, 'required');
  assert.deepEqual(
    secrets.map(({ created_at: _at, ...rest }: { created_at: string }) => rest),
    [{ id, last_used_at: null }],
  );
  assert.match(secrets[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  const unused = await newSecret(channel);
  const { directory, keyUses } = one.service.services;
  // The use is also recorded while constant invalidation keeps the directory from caching the channel.
  const changing = setInterval(() => directory.invalidate(), 0);
  assert.equal((await send(channel, secret, {})).status, 200);
  clearInterval(changing);
  assertUnsigned(await send(channel, `${secret}x`, {}), 'signature_invalid');
  await keyUses.record();
  const [used, other] = (await shown()).secrets;
  assert.ok(Math.abs(Date.parse(used.last_used_at) - Date.now()) < 120_000, String(used.last_used_at));
  assert.equal(other.last_used_at, null);
  await remove(channel, unused.id);
  const trail = (await audits(`channel:${channel.id}`)).filter(({ action }) => /sign/.test(action));
  assert.deepEqual(
    trail.map(({ action, before, after }) => [action, before, after]),
    [
      ['channel.add_signing_secret', null, { signing_secret_id: id }],
      ['channel.set_signing', { mode: 'off' }, { mode: 'required' }],
      ['channel.add_signing_secret', null, { signing_secret_id: unused.id }],
      ['channel.remove_signing_secret', { signing_secret_id: unused.id }, null],
    ],
  );
  const { pool } = one.service.services;
  const stored = await pool.query('select * from signing_secret where channel_id = $1', [channel.id]);
  assert.ok(!JSON.stringify([trail, stored.rows]).includes(secret));
  assert.ok(!String(stored.rows[0]?.secret_sealed).includes(secret.slice(4)));
});

test('a secret that cannot be unsealed: its requests get 503, and the other secrets still work', async () => {
  const { channel, id, secret } = await signing('required');
  const second = await newSecret(channel);
  const { pool, directory, metrics } = one.service.services;
  // Copied from another channel: a sealed secret is bound to its channel and does not open elsewhere.
  const other = await newSecret(await make.channel());
  await pool.query(
    'update signing_secret set secret_sealed = (select secret_sealed from signing_secret where id = $2) where id = $1',
    [id, other.id],
  );
  directory.invalidate();
  for (const each of [secret, other.secret]) {
    const answer = await send(channel, each, {});
    assertRefused(answer, 503, 'cannot check the signature');
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('sluice-error'), 'signature_unchecked');
  }
  assert.equal((await send(channel, second.secret, {})).status, 200);
  assert.match(
    await metrics.registry.metrics(),
    /^sluice_channel_refusals_total\{code="signature_unchecked"\} 2$/m,
  );
});

test('a request without its required signature counts against the rate limit', async () => {
  const { channel, secret } = await signing('required');
  await must(admin('PUT', `/channels/${channel.id}/rate-limit`, { requests_per_minute: 1, burst: 2 }), 200);
  const unsigned = await channel.call('GET', '/inventory');
  assertUnsigned(unsigned, 'signature_missing');
  assert.equal(unsigned.headers.get('ratelimit-remaining'), '1');
  assert.equal((await send(channel, secret, {})).status, 200);
  assert.equal((await send(channel, secret, {})).status, 429);
});
