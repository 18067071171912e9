// Cases: from the documents, good or with a few things wrong. Seed and index make the same one in every run.
import { oddlyChanged, oddlyEncoded, written } from './bodies.ts';
import { oddCredentials, oddHeaders, usualCredentials } from './headers.ts';
import type { Operation } from './document.ts';
import { isComplete, type Case, type Framing, type Message } from './message.ts';
import { Random, seedOf } from '../../kit/random.ts';
import { oddTarget, targetOf } from './targets.ts';
import { goodValue } from './values.ts';

/** Slow by nature, or they take the keys away from all others until the end of the lot. */
const SELDOM: Record<string, number> = {
  'post /admin/v1/session': 0.03,
  'put /admin/v1/session/password': 0.03,
  'post /admin/v1/users': 0.02,
  'post /admin/v1/users/{id}/reset-password': 0.02,
  'get /admin/v1/reconcile': 0.03,
  'get /admin/v1/overview': 0.2,
  'post /admin/v1/channels/{id}/rotate-key': 0.02,
  'patch /admin/v1/channels/{id}': 0.1,
  'put /admin/v1/channels/{id}/rate-limit': 0.02,
  'put /admin/v1/channels/{id}/signing': 0.02,
  'patch /admin/v1/users/{id}': 0.05,
  'delete /admin/v1/tokens/{id}': 0.05,
  'delete /admin/v1/session': 0.02,
  'delete /admin/v1/sessions': 0.02,
};
/** The channel API has five operations, the back office fifty. */
const OFTEN: Record<string, number> = {
  'get /api/v1/inventory': 6,
  'post /api/v1/inventory/lookup': 3,
  'get /api/v1/inventory/{sku}': 5,
  'post /api/v1/orders': 16,
  'post /api/v1/orders/{orderNumber}/status': 12,
};

const GOOD_SHARE = 0.25;
const PIPELINED_SHARE = 0.03;
const MESSAGES_MAX = 6;

export class Cases {
  readonly #operations: readonly (readonly [number, Operation])[];
  readonly #seed: number;

  constructor(operations: readonly Operation[], seed: number) {
    this.#operations = operations.map((one) => [SELDOM[one.name] ?? OFTEN[one.name] ?? 1, one]);
    this.#seed = seed;
  }

  make(index: number): Case {
    const random = new Random(seedOf(this.#seed, index));
    if (random.chance(PIPELINED_SHARE)) return this.#pipelined(index, random);
    const message = this.#message(`f${index}`, random);
    const made: Case = { index, messages: [message], behind: '', writes: 1 };
    if (random.chance(0.02)) made.writes = random.between(2, 8);
    if (random.chance(0.01))
      made.behind = random.pick(['@@rubbish@@\r\n\r\n', '\0', 'GET', '\r\n\r\n', '{}']);
    if (!isComplete(made) && message.method === 'HEAD') message.method = 'GET';
    return made;
  }

  #pipelined(index: number, random: Random): Case {
    const messages = Array.from({ length: random.between(2, MESSAGES_MAX) }, (_, place) => {
      const message = this.#message(`f${index}.${place}`, random);
      return isComplete({ index, messages: [message], behind: '', writes: 1 })
        ? message
        : { ...message, framing: 'length' as const };
    });
    return { index, messages, behind: '', writes: random.pick([1, 1, 3]) };
  }

  #message(requestId: string, random: Random): Message {
    const operation = random.weighted(this.#operations);
    const isGood = random.chance(GOOD_SHARE);
    const headers: Message['headers'] = [
      ['Host', 'sluice.test'],
      ['X-Request-Id', requestId],
      ...(isGood || random.chance(0.8)
        ? usualCredentials(operation, random)
        : oddCredentials(operation, random)),
    ];
    const message: Message = {
      method: operation.method,
      target: targetOf(operation, random),
      version: 'HTTP/1.1',
      headers,
      ...bodyOf(operation, random),
    };
    if (isGood) return message;
    for (let wrongs = random.pick([1, 1, 1, 2, 3]); wrongs > 0; wrongs--) spoil(message, operation, random);
    return message;
  }
}

function bodyOf({ body, method }: Operation, random: Random): { body: Buffer; framing: Framing } {
  if (!body)
    return { body: Buffer.alloc(0), framing: method === 'GET' || random.chance(0.5) ? 'none' : 'length' };
  const value = goodValue(body, '', random);
  return { body: Buffer.from(written(value)), framing: random.chance(0.9) ? 'length' : 'chunked' };
}

function spoil(message: Message, operation: Operation, random: Random): void {
  const spoilers: [number, () => void][] = [
    [operation.body ? 0 : 1, () => sendUnaskedBody(message, random)],
    [3, () => (message.target = oddTarget(message.target, random))],
    [3, () => message.headers.push(...oddHeaders(random))],
    [1, () => (message.framing = random.pick(LIES))],
    [1, () => (message.method = random.pick(METHODS))],
    [
      0.3,
      () => (message.version = random.pick(['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', ''])),
    ],
  ];
  if (operation.body) {
    spoilers.push(
      [12, () => (message.body = oddBody(operation, random))],
      [4, () => (message.body = oddlyEncoded(message.body, random))],
    );
  }
  random.weighted(spoilers)();
}

function oddBody({ body }: Operation, random: Random): Buffer {
  let value = goodValue(body ?? {}, '', random);
  for (let times = random.pick([1, 1, 2, 4]); times > 0; times--) value = oddlyChanged(value, random);
  return Buffer.from(written(value));
}

function sendUnaskedBody(message: Message, random: Random): void {
  message.body = oddlyEncoded(Buffer.from('{"status":1}'), random);
  message.framing = random.pick(['length', 'chunked']);
}

const LIES: readonly Framing[] = [
  'none',
  'chunked',
  'too_short',
  'too_long',
  'no_number',
  'twice',
  'both',
  'broken_chunk',
  'cut_chunk',
];
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'PURGE',
  'M-SEARCH',
  'CONNECT',
  'get',
  'BREW',
  'POST\t',
  '',
];
