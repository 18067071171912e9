// Cases from the OpenAPI documents: valid, or with a few faults. fast-check generates and shrinks them. Seed and index
// give the same case in every run, independent of earlier cases.
import fc from 'fast-check';
import { seedOf } from '../../kit/random.ts';
import { changing, listOf, oneOf, weighted, words, type Arbitrary } from '../arbitrary.ts';
import { anyOddity, oddEncoding, oddlyChanged, written } from './bodies.ts';
import type { ApiOperation } from './document.ts';
import { oddCredentials, oddHeaders, usualCredentials } from './headers.ts';
import type { HttpFault } from './judge.ts';
import { isComplete, isWhole, type Case, type Framing, type HttpMessage } from './message.ts';
import { oddTarget, targetOf } from './targets.ts';
import { goodValue } from './values.ts';

/** How often an operation is called, in percent of the others. */
const WEIGHTS: Record<string, number> = {
  // Slow, or they revoke the keys which the other cases use until the end of the lot.
  'post /admin/v1/session': 3,
  'put /admin/v1/session/password': 3,
  'post /admin/v1/users': 2,
  'post /admin/v1/users/{id}/reset-password': 2,
  'get /admin/v1/reconcile': 3,
  'get /admin/v1/overview': 20,
  'post /admin/v1/channels/{id}/rotate-key': 2,
  'patch /admin/v1/channels/{id}': 10,
  'put /admin/v1/channels/{id}/rate-limit': 2,
  'put /admin/v1/channels/{id}/signing': 2,
  'put /admin/v1/channels/{id}/limits': 20,
  'patch /admin/v1/users/{id}': 5,
  'delete /admin/v1/tokens/{id}': 5,
  'delete /admin/v1/session': 2,
  'delete /admin/v1/sessions': 2,
  // The channel API has five operations, the back office fifty.
  'get /api/v1/inventory': 600,
  'post /api/v1/inventory/lookup': 300,
  'get /api/v1/inventory/{sku}': 500,
  'post /api/v1/orders': 1_600,
  'post /api/v1/orders/{orderNumber}/status': 1_200,
};

const LIES: readonly Framing[] = [
  ...(['none', 'chunked', 'too_short', 'too_long', 'no_number', 'twice', 'both'] as const),
  ...(['broken_chunk', 'cut_chunk'] as const),
];
const METHODS = words(
  'GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND QUERY PURGE M-SEARCH CONNECT get BREW POST\t',
);
const VERSIONS = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', ''];
const WRONGS_MAX = 3;
const MESSAGES_MAX = 8;

type Wrong = (message: HttpMessage) => HttpMessage;

const EMPTY = Buffer.alloc(0);

/** One fault of a message. */
function anyWrong({ body }: ApiOperation): Arbitrary<Wrong> {
  const common: [number, Arbitrary<Wrong>][] = [
    [30, oddTarget.map((change) => (message) => ({ ...message, target: change(message.target) }))],
    [30, changing(oddHeaders, (message, more) => ({ ...message, headers: [...message.headers, ...more] }))],
    [10, changing(oneOf(...LIES), (message, framing) => ({ ...message, framing }))],
    [10, changing(oneOf(...METHODS, ''), (message, method) => ({ ...message, method }))],
    [3, changing(oneOf(...VERSIONS), (message, version) => ({ ...message, version }))],
  ];
  if (!body) {
    const unasked: Arbitrary<Wrong> = changing(
      fc.tuple(oddEncoding, oneOf<Framing>('length', 'chunked')),
      (message, [encode, framing]) => ({ ...message, body: encode(Buffer.from('{"status":1}')), framing }),
    );
    return weighted(...common, [10, unasked]);
  }
  const changed: Arbitrary<Wrong> = changing(
    fc.tuple(goodValue(body, ''), weighted([3, listOf(anyOddity, 1, 1)], [1, listOf(anyOddity, 2, 4)])),
    (message, [value, oddities]) => ({
      ...message,
      body: Buffer.from(written(oddities.reduce(oddlyChanged, value))),
    }),
  );
  const encoded = oddEncoding.map((encode): Wrong => (message) => ({
    ...message,
    body: encode(message.body),
  }));
  return weighted(...common, [120, changed], [40, encoded]);
}

function anyMessage(operation: ApiOperation): Arbitrary<HttpMessage> {
  const { method, body } = operation;
  const content: Arbitrary<Pick<HttpMessage, 'body' | 'framing'>> = body
    ? fc.record({
        body: goodValue(body, '').map((value) => Buffer.from(written(value))),
        framing: weighted<Framing>([9, fc.constant('length')], [1, fc.constant('chunked')]),
      })
    : fc.record({
        body: fc.constant(EMPTY),
        framing: method === 'GET' ? fc.constant('none' as const) : oneOf<Framing>('none', 'length'),
      });
  const wrongs = weighted(
    [25, fc.constant<Wrong[]>([])],
    [45, listOf(anyWrong(operation), 1, 1)],
    [30, listOf(anyWrong(operation), 2, WRONGS_MAX)],
  );
  return fc
    .tuple(
      targetOf(operation),
      weighted([85, usualCredentials(operation)], [15, oddCredentials(operation)]),
      content,
      wrongs,
    )
    .map(([target, credentials, sent, all]) => {
      const headers: HttpMessage['headers'] = [['Host', 'sluice.test'], ...credentials];
      const good: HttpMessage = { method, target, version: 'HTTP/1.1', headers, ...sent };
      return all.reduce((message, wrong) => wrong(message), good);
    });
}

type Draft = Omit<Case, 'index'>;

function anyDraft(operations: readonly ApiOperation[]): Arbitrary<Draft> {
  const message = weighted(...operations.map((one) => [WEIGHTS[one.name] ?? 100, anyMessage(one)] as const));
  const single = fc.record({
    messages: listOf(message, 1, 1),
    behind: weighted<string>(
      [99, fc.constant('')],
      [1, oneOf('@@rubbish@@\r\n\r\n', '\0', 'GET', '\r\n\r\n', '{}')],
    ),
    writes: weighted([98, fc.constant(1)], [2, fc.integer({ min: 2, max: 8 })]),
  });
  // fast-check shortens a list only at its start; optional messages can be removed anywhere.
  const maybe = fc.tuple(message, fc.nat(3)).map(([one, kept]) => ({ one, isKept: kept > 0 }));
  const pipelined = fc.record({
    messages: listOf(maybe, 1, MESSAGES_MAX).map((all) => {
      const kept = all.filter(({ isKept }) => isKept);
      return (kept.length > 0 ? kept : all.slice(0, 1)).map(({ one }) =>
        isWhole(one) ? one : { ...one, framing: 'length' as const },
      );
    }),
    behind: fc.constant(''),
    writes: oneOf(1, 1, 3),
  });
  return weighted<Draft>([96, single], [4, pipelined]);
}

/** The end of a response to HEAD cannot be determined if the message before it is unterminated. */
function named({ messages, behind, writes }: Draft, index: number): Case {
  const isAlone = messages.length === 1;
  const made: Case = {
    index,
    messages: messages.map(({ headers, ...message }, place) => ({
      ...message,
      headers: headers.toSpliced(1, 0, ['X-Request-Id', isAlone ? `f${index}` : `f${index}.${place}`]),
    })),
    behind,
    writes,
  };
  for (const message of made.messages)
    if (!isComplete(made) && message.method === 'HEAD') message.method = 'GET';
  return made;
}

const SHRINK_MS = 30_000;

export class Cases {
  readonly #drafts: Arbitrary<Draft>;
  readonly #seed: number;

  constructor(operations: readonly ApiOperation[], seed: number) {
    this.#drafts = anyDraft(operations);
    this.#seed = seed;
  }

  make(index: number): Case {
    const [draft] = fc.sample(this.#drafts, this.#parameters(index));
    return named(draft as Draft, index);
  }

  /** Shrinks a case while the fault remains. `fault` null: it did not occur again. */
  async smallest(
    index: number,
    kind: string,
    attempt: (smaller: Case) => Promise<HttpFault | null>,
  ): Promise<{ smallest: Case; fault: HttpFault | null }> {
    const until = performance.now() + SHRINK_MS;
    let found: { smallest: Case; fault: HttpFault | null } = { smallest: this.make(index), fault: null };
    const property = fc.asyncProperty(this.#drafts, async (draft) => {
      if (performance.now() > until) return;
      const smaller = named(draft, index);
      const fault = await attempt(smaller);
      if (fault?.kind !== kind) return;
      found = { smallest: smaller, fault };
      throw new Error(fault.text);
    });
    await fc.check(property, this.#parameters(index));
    return found;
  }

  #parameters(index: number) {
    return { seed: seedOf(this.#seed, index) | 0, numRuns: 1, unbiased: true };
  }
}
