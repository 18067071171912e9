// Traces of a real service, as a receiver on loopback gets them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SpanExporter } from '../src/platform/tracing/exporter.ts';
import { newTraceId, SERVER, startSpan } from '../src/platform/tracing/spans.ts';
import { isSampled, parseTraceparent } from '../src/platform/tracing/traceparent.ts';
import { lockStockOf, openTransaction } from './kit/adverse.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { fixtures, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { PATIENT, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { keep } from '../verify/kit/written.ts';
import { listen } from '../verify/kit/ports.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const service = await startTestService({
  env: {
    ...PATIENT,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=the%20shop',
    OTEL_SERVICE_NAME: 'sluice-test',
  },
});
const make = fixtures(service);

/** A decoded span. */
interface Told {
  trace: string;
  id: string;
  parent: string | undefined;
  name: string;
  kind: number;
  from: bigint;
  to: bigint;
  attributes: Record<string, string | number>;
  /** Span ids. */
  links: string[];
}

const attributesOf = (list: { key: string; value: { stringValue?: string; intValue?: string } }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

const told = (): Told[] =>
  receiver.received.flatMap(({ json }) =>
    json.resourceSpans[0].scopeSpans[0].spans.map((span: any) => ({
      trace: span.traceId,
      id: span.spanId,
      parent: span.parentSpanId,
      name: span.name,
      kind: span.kind,
      from: BigInt(span.startTimeUnixNano),
      to: BigInt(span.endTimeUnixNano),
      attributes: attributesOf(span.attributes),
      links: span.links.map((link: any) => link.spanId),
    })),
  );

/** The request spans of one channel, once there are `count` of them. */
async function requestsOf({ id }: TestChannel, count: number): Promise<Told[]> {
  const found = () =>
    told().filter(
      ({ name, attributes }) => name === 'POST /api/v1/orders' && attributes['sluice.channel_id'] === id,
    );
  await until(() => found().length === count, `${count} request spans`);
  return found();
}

const only = <T>(list: readonly T[], what: string): T => {
  assert.equal(list.length, 1, `${list.length} of ${what}`);
  return list[0] as T;
};

const send = (channel: TestChannel, sku: string, headers: Record<string, string> = {}) =>
  channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]), headers);

test('one order: request, queue, batch and statements form one trace, below the traceparent of the client', async () => {
  const { channel, sku } = await make.setting();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const answer = await send(channel, sku, {
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    'x-request-id': 'traced-order',
  });
  assert.equal(answer.status, 201);
  const request = only(await requestsOf(channel, 1), 'request spans');
  const spans = told().filter((span) => span.trace === trace);
  assert.equal(request.trace, trace);
  assert.equal(request.parent, '00f067aa0ba902b7');
  assert.equal(request.kind, SERVER);
  assert.deepEqual(request.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v1/orders',
    'http.response.status_code': 201,
    'sluice.request_id': 'traced-order',
    'sluice.channel_id': channel.id,
    'sluice.order_lines': 1,
    'sluice.outcome': 'created',
  });
  const queue = only(
    spans.filter(({ name }) => name === 'gate queue'),
    'queue spans',
  );
  const batch = only(
    spans.filter(({ name }) => name === 'gate batch'),
    'batch spans',
  );
  assert.equal(queue.parent, request.id);
  assert.equal(batch.parent, queue.id);
  assert.deepEqual(queue.links, [batch.id]);
  assert.deepEqual(batch.links, [queue.id]);
  assert.deepEqual(batch.attributes, {
    'sluice.batch.commands': 1,
    'sluice.batch.held_commands': 0,
    'sluice.batch.skus': 1,
  });
  const statements = spans.filter(({ name }) => name.startsWith('statement '));
  assert.ok(statements.length >= 6, `${statements.length} statements`);
  assert.ok(statements.every(({ parent }) => parent === batch.id));
  const names = statements.map(({ name }) => name);
  assert.equal(names[0], 'statement begin');
  assert.equal(names.at(-1), 'statement commit');
  for (const { from, to } of spans)
    assert.ok(request.from <= from && from <= to && to <= request.to, 'outside of the request');
  const now = BigInt(Date.now()) * 1_000_000n;
  assert.ok(now - request.from < 3_600_000_000_000n && request.from < now, 'the times are not Unix times');
});

test('a batch of several orders: its span and the queue spans of these orders link to each other', async () => {
  const { channel, variant, sku } = await make.setting();
  const other = await openTransaction(service.database.adminUrl, lockStockOf(variant.code));
  const answers = [send(channel, sku), send(channel, sku), send(channel, sku)];
  // A lane waits for the row, and then takes all commands that wait for it.
  await until(() => service.service.services.gate.held === 3, 'three orders wait for the row');
  await other.end();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 201);
  const requests = await requestsOf(channel, 3);
  assert.equal(new Set(requests.map(({ trace }) => trace)).size, 3);
  const waits = told().filter(
    ({ name, parent }) => name === 'gate held row' && requests.some(({ id }) => id === parent),
  );
  assert.equal(waits.length, 3);
  const batch = only(
    told().filter(({ name, links }) => name === 'gate batch' && links.includes(waits[0]?.id ?? '')),
    'batch spans',
  );
  assert.deepEqual(batch.links.toSorted(), waits.map(({ id }) => id).toSorted());
  for (const { links } of waits) assert.deepEqual(links, [batch.id]);
  assert.ok(waits.some(({ id, trace }) => batch.parent === id && batch.trace === trace));
  assert.equal(batch.attributes['sluice.batch.commands'], 3);
  assert.equal(batch.attributes['sluice.batch.skus'], 1);
});

test('a request whose traceparent is not sampled is not traced; probes are not traced either', async () => {
  const { channel, sku } = await make.setting();
  const trace = newTraceId();
  assert.equal((await send(channel, sku, { traceparent: `00-${trace}-00f067aa0ba902b7-00` })).status, 201);
  await fetch(`${service.origin}/healthz`);
  assert.equal((await send(channel, sku)).status, 201);
  await requestsOf(channel, 1);
  assert.ok(!told().some((span) => span.trace === trace || span.name.includes('healthz')));
});

test('exports are sent to the path for traces, name the service, and contain no personal data', () => {
  for (const { path, headers, body, json } of receiver.received) {
    assert.equal(path, '/hook/v1/traces');
    assert.equal(headers['x-tenant'], 'the shop');
    assert.equal(headers['content-type'], 'application/json');
    const resource = attributesOf(json.resourceSpans[0].resource.attributes);
    assert.equal(resource['service.name'], 'sluice-test');
    assert.equal(resource['process.pid'], process.pid);
    for (const secret of [...Object.values(PERSON), 'sluice_', 'ORD-'])
      assert.ok(!body.includes(secret), secret);
    // The test run searches this output for secrets and personal data at its end.
    keep('output', body);
  }
});

const someSpan = () => startSpan({ name: 'x', kind: SERVER, trace_id: newTraceId(), parent_id: null });

function exporterTo(url: string) {
  const seen = { sent: 0, dropped: 0, reasons: [] as string[], back: 0 };
  const exporter = new SpanExporter({
    url,
    headers: {},
    timeout_ms: 5_000,
    resource: {},
    scope: { name: 'test', version: '1' },
    flush_ms: 200,
    onSent: (count) => (seen.sent += count),
    onDropped: (count) => (seen.dropped += count),
    onAway: (reason) => seen.reasons.push(reason),
    onBack: () => (seen.back += 1),
  });
  return { exporter, seen };
}

test('a receiver that hangs: the queue is limited, dropped spans are counted, and the stop completes', async (t) => {
  const hanging = await startReceiver(() => undefined);
  t.after(() => hanging.close());
  const { exporter, seen } = exporterTo(hanging.url);
  for (let count = 0; count < 10_000; count++) exporter.add(someSpan());
  assert.deepEqual([seen.sent, seen.dropped], [0, 10_000 - 8_192]);
  await exporter.close();
  assert.deepEqual([seen.sent, seen.dropped], [0, 10_000]);
});

test('a receiver that refuses, redirects or answers invalid bytes: the spans are dropped and counted', async (t) => {
  const rubbish = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('Good evening.\r\n\r\n', () => socket.destroy());
  });
  const port = await listen(rubbish);
  const refusing = await startReceiver(() => 400);
  const redirecting = await startReceiver(() => 302);
  t.after(() => {
    rubbish.close();
    return Promise.all([refusing.close(), redirecting.close()]);
  });
  for (const url of [`http://127.0.0.1:${port}/`, refusing.url, redirecting.url]) {
    const { exporter, seen } = exporterTo(url);
    exporter.add(someSpan());
    await exporter.close();
    assert.deepEqual([seen.sent, seen.dropped, seen.reasons.length], [0, 1, 1], url);
    exporter.add(someSpan());
    assert.equal(seen.dropped, 2, 'after the stop');
  }
});

test('a receiver that is temporarily unavailable gets the spans later', async (t) => {
  let status = 503;
  const away = await startReceiver(() => status);
  t.after(() => away.close());
  const { exporter, seen } = exporterTo(away.url);
  exporter.add(someSpan());
  await until(() => seen.reasons.length === 1, 'the first attempt failed');
  status = 200;
  await until(() => seen.sent === 1, 'the retry');
  assert.deepEqual([seen.dropped, seen.reasons, seen.back], [0, ['status 503'], 1]);
  await exporter.close();
});

test('traceparent: only the W3C format is accepted, and the sampler follows the parent or the ratio', () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const span_id = '00f067aa0ba902b7';
  assert.deepEqual(parseTraceparent(`00-${trace_id}-${span_id}-01`), { trace_id, span_id, isSampled: true });
  assert.equal(parseTraceparent(`00-${trace_id}-${span_id}-02`)?.isSampled, false);
  assert.equal(parseTraceparent(`cc-${trace_id}-${span_id}-01-later`)?.isSampled, true);
  for (const wrong of [
    undefined,
    '',
    [`00-${trace_id}-${span_id}-01`],
    `00-${trace_id}-${span_id}-01-more`,
    `ff-${trace_id}-${span_id}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id}-${span_id}`,
  ])
    assert.equal(parseTraceparent(wrong), null, String(wrong));
  const parent = { trace_id, span_id, isSampled: false };
  assert.equal(isSampled({ by_parent: true, ratio: 1 }, trace_id, parent), false);
  assert.equal(isSampled({ by_parent: false, ratio: 1 }, trace_id, parent), true);
  assert.equal(isSampled({ by_parent: true, ratio: 0 }, trace_id, { ...parent, isSampled: true }), true);
  const chosen = Array.from({ length: 4_096 }, (_, index) => index.toString(16).padStart(3, '0'))
    .map((digits) => `${'f'.repeat(20)}${digits}${'8'.repeat(9)}`)
    .filter((id) => isSampled({ by_parent: true, ratio: 0.25 }, id, null));
  assert.equal(chosen.length, 1_024);
});

test('without a receiver no tracing module is loaded', async () => {
  const source = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { readConfig } = await import('./src/platform/config/config.ts');
    const { assemble } = await import('./src/start/service.ts');
    const { createLogger } = await import('./src/platform/log/log.ts');
    const database = { url: 'postgres://127.0.0.1:1/none', secret: 'x'.repeat(32) };
    // The metrics library loads @opentelemetry/api by itself.
    const found = () => loaded.filter((url) => /\\/src\\/(?:platform\\/tracing\\/|core\\/gate\\/traces)/.test(url)).length;
    const counts = [];
    for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }]) {
      const { services } = await assemble(readConfig(env, '.'), database, createLogger('silent'));
      counts.push([services.traces !== undefined, found() > 0]);
    }
    console.log(JSON.stringify(counts));
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  assert.deepEqual(JSON.parse(stdout), [
    [false, false],
    [true, true],
  ]);
});
