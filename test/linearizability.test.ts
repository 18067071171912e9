// The checker itself, on histories whose verdict is known: a register, as in the literature.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endStates, smallestWindow, type Operation, type SequentialModel } from '../fuzz/linearizability.ts';

type Input = { write: number } | 'read';
type Register = Operation<Input, number>;

const register: SequentialModel<number, Input, number> = {
  step(state, input, answer) {
    if (input !== 'read') return input.write;
    return answer === null || answer === state ? state : null;
  },
  keyOf: String,
  isRead: (input) => input === 'read',
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

test('one after the other: the last write is the end', () => {
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

test('once a new value was read, the old one is gone for every later read', () => {
  assert.deepEqual(ends(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)), []);
});

test('two reads that overlap may see both, whichever was sent first', () => {
  assert.deepEqual(ends(write(1, 0, 10), read(1, 1, 4), read(0, 2, 3)), [1]);
});

test('two writes at once: both ends are possible until a read decides', () => {
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6)), [1, 2]);
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6), read(1, 7, 8)), [1]);
});

test('reads that contradict each other about the order of two writes', () => {
  assert.deepEqual(ends(write(1, 0, 5), write(2, 1, 6), read(1, 7, 8), read(2, 9, 10)), []);
});

test('an unanswered write may have happened at any time since, or never', () => {
  assert.deepEqual(ends(write(1, 0, Infinity)), [0, 1]);
  assert.deepEqual(ends(write(1, 0, Infinity), read(0, 5, 6), read(1, 7, 8)), [1]);
  assert.deepEqual(ends(write(1, 0, Infinity), read(1, 5, 6), read(0, 7, 8)), []);
});

test('an unanswered write cannot have happened before it was sent', () => {
  assert.deepEqual(ends(read(1, 0, 1), write(1, 2, Infinity)), []);
});

test('several beginnings: only those that explain the answers count', () => {
  assert.deepEqual(endStates([read(5, 0, 1)], register, [4, 5, 6]), [5]);
});

test('a history of eight clients that never rest is judged in no time', () => {
  const history = Array.from({ length: 400 }, (_, index) =>
    index % 4 === 0
      ? write(index, index, index + 8)
      : read(4 * Math.floor((index - 4) / 4), index, index + 8),
  ).filter((operation) => operation.input !== 'read' || (operation.answer ?? 0) >= 0);
  assert.equal(endStates(history, register, [0]).length > 0, true);
});

test('the smallest window leaves out what is over, what comes later and what does not matter', () => {
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
