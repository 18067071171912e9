// The helpers for Python and PHP against a server with realistic failures: which requests are retried, which are not, and
// that each attempt is signed. test/channel-docs.test.ts runs the examples of docs/channels/clients.md with them in the
// sandbox.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { PERSON } from '../verify/kit/canaries.ts';
import type { Example } from './kit/doc-examples.ts';
import { inDirectory, missing, runProgram } from './kit/doc-programs.ts';
import { answer, cut, cutMidway, cutWith, startScriptedServer } from './kit/scripted-server.ts';

const SECRET = 'sls_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
/** Of another service: Sluice accepts it as UTF-8. */
const KEY = 'old key 열쇠';
const ORDER = { order_number: '주문 1/2', ...PERSON, items: [{ sku: 'S', quantity: 1, unit_price: 10 }] };

const server = await startScriptedServer();
after(() => server.close());

/** Each program performs the action in the variable ACT and prints the result. */
const PROGRAMS: Record<string, string> = {
  python: `import json, os
from sluice import Sluice, SluiceError, sign
s = Sluice(os.environ["SLUICE"], "${KEY}", signing_secret="${SECRET}", timeout=20, attempts=9, base_pause=0.002, max_pause=0.05)
try:
    act = os.environ["ACT"]
    if act == "vector":
        print(sign("${SECRET}", "POST", "/api/v1/orders/SHOP-1001/status", "1794700000", b'{"status":1}'))
    elif act == "order":
        order, is_new = s.submit_order(json.loads(os.environ["ORDER"]))
        print(order["status"], str(is_new).lower())
    elif act == "report":
        print(s.report_status("주문 1/2", 3, tracking_number="T")["status"])
    elif act == "watch":
        for order, token in s.watch_orders("a b"):
            print(order["order_number"], token)
    else:
        print(s.order_changes("a b", wait=7)["changes_since"])
except SluiceError as error:
    print(error.status, error.reason, error.code, str(error.is_retriable).lower(), error.request_id, error)
`,
  php: `<?php
require 'Sluice.php';
$s = new Sluice(getenv('SLUICE'), '${KEY}', '${SECRET}', timeout: 20, attempts: 9, basePause: 0.002, maxPause: 0.05);
try {
    switch (getenv('ACT')) {
        case 'vector':
            echo Sluice::sign('${SECRET}', 'POST', '/api/v1/orders/SHOP-1001/status', '1794700000', '{"status":1}'), "\\n";
            break;
        case 'order':
            [$order, $isNew] = $s->submitOrder(json_decode(getenv('ORDER'), true));
            echo $order['status'], ' ', json_encode($isNew), "\\n";
            break;
        case 'report':
            echo $s->reportStatus('주문 1/2', 3, ['tracking_number' => 'T'])['status'], "\\n";
            break;
        case 'watch':
            foreach ($s->watchOrders('a b') as $token => $order) {
                echo "{$order['order_number']} $token\\n";
            }
            break;
        default:
            echo $s->orderChanges('a b', wait: 7)['changes_since'], "\\n";
    }
} catch (SluiceError $e) {
    echo "$e->status ", $e->reason ?? 'None', ' ', $e->errorCode ?? 'None', ' ', json_encode($e->isRetriable()), ' ',
        $e->requestId ?? 'None', ' ', $e->getMessage(), "\\n";
}
`,
};

for (const [language, code] of Object.entries(PROGRAMS)) {
  describe(language, async () => {
    const reason = await missing(language);
    const example: Example = { page: '', line: 0, language, words: [], code, expected: null };
    const act = (what: string): Promise<string> =>
      inDirectory((directory) =>
        runProgram(example, directory, { SLUICE: server.baseUrl, ACT: what, ORDER: JSON.stringify(ORDER) }),
      );
    const options = reason === false ? {} : { skip: reason };

    test('signs the test vector of the docs', options, async () => {
      const wanted = 'v1=ec15fc2d24e87687d085b6f3bc18505898bd9720932ba00f424ed7e89e91894d';
      assert.equal(await act('vector'), `${wanted}\n`);
    });

    test(
      'retries an order until it is accepted, with the same body, each attempt signed',
      options,
      async () => {
        const again = [
          cut,
          cutMidway,
          cutWith(503),
          answer(503, {}, { 'retry-after': '0' }),
          answer(408, {}),
          answer(429, {}),
          answer(502, '<html>'),
          answer(504, {}),
        ];
        server.play(...again, answer(200, { data: { status: 1 } }));
        assert.equal(await act('order'), '1 false\n');
        assert.equal(server.received.length, again.length + 1);
        for (const { method, target, headers, body } of server.received) {
          const key = Buffer.from(String(headers['x-api-key']), 'latin1').toString();
          assert.deepEqual([method, target, key], ['POST', '/api/v1/orders', KEY]);
          assert.deepEqual(JSON.parse(body.toString()), ORDER);
          const signed = `${method}\n${target}\n${String(headers['x-sluice-timestamp'])}\n`;
          const wanted = createHmac('sha256', SECRET).update(signed).update(body).digest('hex');
          assert.equal(headers['x-sluice-signature'], `v1=${wanted}`);
        }
      },
    );

    test(
      'reports the reason of a refusal without a retry, and does not wait for a long Retry-After',
      options,
      async () => {
        const named = { 'sluice-error': 'invalid_transition', 'x-request-id': 'r-1' };
        const refusals: [number, object, Record<string, string>, string][] = [
          [
            409,
            { error: 'No.', code: 'invalid_transition' },
            named,
            '409 invalid_transition invalid_transition false r-1 No.',
          ],
          [500, { error: 'Ours.' }, {}, '500 None None false None Ours.'],
          [
            500,
            { error: 'Ours.' },
            { 'sluice-error': 'order_number_taken' },
            '500 order_number_taken None false None Ours.',
          ],
          [302, {}, { location: 'http://127.0.0.1:1/' }, '302 None None false None the service answered 302'],
          [503, { error: 'Later.' }, { 'retry-after': '3600' }, '503 None None true None Later.'],
        ];
        for (const [status, body, headers, printed] of refusals) {
          server.play(answer(status, body, headers));
          assert.equal(await act('report'), `${printed}\n`);
          assert.deepEqual(
            server.received.map(({ target }) => target),
            ['/api/v1/orders/%EC%A3%BC%EB%AC%B8%201%2F2/status'],
          );
        }
      },
    );

    test('watches orders through an outage, until an error that a retry cannot repair', options, async () => {
      const outage = Array.from({ length: 13 }, () => answer(503, {}, { 'retry-after': '0' }));
      const changes = [{ order_number: 'A' }, { order_number: 'B' }];
      const found = answer(200, { changes, changes_since: 'next', has_more: false });
      server.play(
        ...outage,
        found,
        cut,
        answer(422, { message: 'Unknown.' }, { 'sluice-error': 'validation' }),
      );
      assert.equal(await act('watch'), 'A a b\nB next\n422 validation None false None Unknown.\n');
      const tokens = server.received.map(({ target }) =>
        new URL(target, server.baseUrl).searchParams.get('changes_since'),
      );
      assert.deepEqual(tokens, [...outage.map(() => 'a b'), 'a b', 'next', 'next']);
    });

    test('asks for order changes with changes_since and wait', options, async () => {
      server.play(answer(200, { changes: [], changes_since: 'next', has_more: false }));
      assert.equal(await act('changes'), 'next\n');
      const { searchParams } = new URL(server.received[0]?.target ?? '', server.baseUrl);
      assert.deepEqual(Object.fromEntries(searchParams), { changes_since: 'a b', wait: '7' });
    });
  });
}
