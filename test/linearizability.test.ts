// The linearizability checker, on histories with a known verdict: a register, as in the literature.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endStates,
  smallestWindow,
  type Operation,
  type SequentialModel,
} from '../verify/fuzz/linearizability.ts';
import { chooseRequest, type KnownNumber } from '../verify/fuzz/history/choose.ts';
import { answerBy, newSkuModel, skuModel, type Asked } from '../verify/fuzz/history/requests.ts';
import { Random } from '../verify/kit/random.ts';
import { newSeed } from '../verify/kit/command-line.ts';

type Input = { write: number } | { add: number } | 'read';
type Register = Operation<Input, number>;

const register: SequentialModel<number, Input, number> = {
  step(state, input, answer) {
    if (input !== 'read' && 'write' in input) return input.write;
    if (input !== 'read') return answer === null || answer === state + input.add ? state + input.add : null;
    return answer === null || answer === state ? state : null;
  },
  keyOf: String,
  isIdle: (input) => input === 'read',
};

const write = (value: number, invoked: number, returned: number): Register => ({
  input: { write: value },
  answer: returned === Infinity ? null : 0,
  invoked,
  returned,
});
const read = (answer: number, invoked: number, returned: number): Register => ({
  input: 'read',
  answer,
  invoked,
  returned,
});

const ends = (...history: Register[]): number[] =>
  endStates(history, register, [0]).toSorted((a, b) => a - b);

test('sequential writes: the last write is the final state', () => {
  assert.deepEqual(ends(), [0]);
  assert.deepEqual(ends(write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)), [2]);
});

test('a read during a write may see either value', () => {
  assert.deepEqual(ends(write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)), [1]);
  assert.deepEqual(ends(write(1, 0, 10), read(1, 1, 2)), [1]);
});

test('a read that begins after a write was answered must see it', () => {
  assert.deepEqual(ends(write(1, 0, 1), read(0, 2, 3)), []);
});

test('once a new value was read, no later read may see the old one', () => {
  assert.deepEqual(ends(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)), []);
});

test('two overlapping reads may see the old and the new value, whichever was sent first', () => {
  assert.deepEqual(ends(write(1, 0, 10), read(1, 1, 4), read(0, 2, 3)), [1]);
});

test('two concurrent writes: both final states are possible until a read decides', () => {
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6)), [1, 2]);
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6), read(1, 7, 8)), [1]);
});

test('reads that contradict each other about the order of two writes are refuted', () => {
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6), read(1, 7, 8), read(2, 9, 10)), []);
});

test('an unanswered write may take effect at any time after it was sent, or never', () => {
  assert.deepEqual(ends(write(1, 0, Infinity)), [0, 1]);
  assert.deepEqual(ends(write(1, 0, Infinity), read(0, 5, 6), read(1, 7, 8)), [1]);
  assert.deepEqual(ends(write(1, 0, Infinity), read(1, 5, 6), read(0, 7, 8)), []);
});

test('an unanswered write cannot take effect before it was sent', () => {
  assert.deepEqual(ends(read(1, 0, 1), write(1, 2, Infinity)), []);
});

test('of several initial states, only those that explain the answers remain', () => {
  assert.deepEqual(endStates([read(5, 0, 1)], register, [4, 5, 6]), [5]);
});

test('a history of eight clients that are always busy is checked quickly', () => {
  const history = Array.from({ length: 400 }, (_, index) =>
    index % 4 === 0
      ? write(index, index, index + 8)
      : read(4 * Math.floor((index - 4) / 4), index, index + 8),
  ).filter((operation) => operation.input !== 'read' || (operation.answer ?? 0) >= 0);
  assert.equal(endStates(history, register, [0]).length > 0, true);
});

test('the smallest window omits operations that are finished, that come later or that are irrelevant', () => {
  const stale = read(1, 7, 8);
  const newer = write(2, 4, 5);
  const history = [
    write(1, 0, 1),
    read(1, 2, 3),
    newer,
    read(2, 4.5, 5.5),
    write(3, 6.5, 20),
    stale,
    read(3, 21, 22),
  ];
  const { before, operations, meanwhile } = smallestWindow(history, register, [0]);
  assert.deepEqual(before, [2]);
  assert.deepEqual(operations, [stale]);
  assert.deepEqual(
    meanwhile.map(({ input }) => input),
    [{ write: 3 }],
  );
});

test('the smallest window keeps both sides of a contradiction', () => {
  const first = read(1, 1, 2);
  const second = read(0, 3, 4);
  const { operations, meanwhile } = smallestWindow([write(1, 0, 10), first, second], register, [0]);
  assert.deepEqual(operations, [first, second]);
  assert.deepEqual(
    meanwhile.map(({ input }) => input),
    [{ write: 1 }],
  );
});

/** Tries every order of the operations that real time allows. */
function endsByBruteForce(
  history: readonly Register[],
  state: number,
  found = new Set<number>(),
): Set<number> {
  if (history.every(({ answer }) => answer === null)) found.add(state);
  for (const [index, one] of history.entries()) {
    const others = history.toSpliced(index, 1);
    if (others.some(({ returned }) => returned < one.invoked)) continue;
    const next = register.step(state, one.input, one.answer);
    if (next !== null) endsByBruteForce(others, next, found);
  }
  return found;
}

test('the checker finds the same final states as brute force, on 4,000 small histories', () => {
  const seed = newSeed();
  const random = new Random(seed);
  let refuted = 0;
  for (let run = 0; run < 4_000; run++) {
    const history = Array.from({ length: random.between(1, 6) }, (): Register => {
      const invoked = random.below(12);
      const returned = random.chance(0.12) ? Infinity : invoked + random.below(8);
      const answer = returned === Infinity ? null : random.below(4);
      const input = random.pick<Input>(['read', { write: random.below(3) }, { add: random.below(3) }]);
      return { input, answer, invoked, returned };
    });
    const expected = [...endsByBruteForce(history, 0)].toSorted((a, b) => a - b);
    if (expected.length === 0) refuted += 1;
    assert.deepEqual(ends(...history), expected, `seed ${seed}: ${JSON.stringify(history)}`);
  }
  assert.ok(
    refuted > 400 && refuted < 3_600,
    `${refuted} of 4,000 were refuted: the histories are too similar to prove anything`,
  );
});

/** A history of clients of a model that applies each request atomically between its sending and its answer. */
function simulated(random: Random, clients: number): Operation<Asked, string>[] {
  const numbers: KnownNumber[] = [];
  const state = newSkuModel(0);
  const times = Array.from({ length: clients }, (_, client) => {
    let now = random.below(100);
    return Array.from({ length: 8 }, () => {
      const invoked = now + random.below(10);
      const moment = invoked + random.below(100);
      const returned = moment + random.below(100);
      now = returned + 1;
      return { client, invoked, moment, returned };
    });
  }).flat();
  return times
    .toSorted((a, b) => a.moment - b.moment)
    .map(({ client, invoked, returned }) => {
      const request = chooseRequest(random, 0, numbers, 'N');
      return {
        input: { request, client, service: 'A' },
        answer: answerBy(state, 0, request),
        invoked,
        returned,
      };
    });
}

test('a history of a correct service is linearizable, and a single wrong answer in it is found', () => {
  const seed = newSeed();
  const random = new Random(seed);
  for (let run = 0; run < 5; run++) {
    const history = simulated(random, 5);
    const message = `seed ${seed}, run ${run}`;
    assert.ok(endStates(history, skuModel(0), [newSkuModel(0)]).length > 0, message);
    const victim = history.find(({ input }) => input.request.kind === 'lookup');
    if (!victim) continue;
    const spoilt = history.map((one) => (one === victim ? { ...victim, answer: '99, reserve 0' } : one));
    assert.equal(endStates(spoilt, skuModel(0), [newSkuModel(0)]).length, 0, message);
    const { operations } = smallestWindow(spoilt, skuModel(0), [newSkuModel(0)]);
    assert.ok(
      operations.length < history.length / 2 && operations.some(({ answer }) => answer?.startsWith('99')),
      message,
    );
  }
});
