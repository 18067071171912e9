import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isUnshipped,
  movesStock,
  pathBetween,
  STATUS_EDGES,
  STATUSES,
  type Status,
} from '../../src/core/rules/transitions.ts';

/** Contract 3.2.11a, all 36 pairs written by hand: '-' no path, '' no step needed. */
// oxfmt-ignore
const TABLE: Record<string, string> = {
  '0:0': '', '0:1': '1', '0:2': '1 2', '0:9': '1 9', '0:3': '1 2 3', '0:88': '88',
  '1:0': '-', '1:1': '', '1:2': '2', '1:9': '9', '1:3': '2 3', '1:88': '88',
  '2:0': '-', '2:1': '-', '2:2': '', '2:9': '9', '2:3': '3', '2:88': '88',
  '9:0': '-', '9:1': '-', '9:2': '-', '9:9': '', '9:3': '3', '9:88': '88',
  '3:0': '-', '3:1': '-', '3:2': '-', '3:9': '-', '3:3': '', '3:88': '-',
  '88:0': '-', '88:1': '-', '88:2': '-', '88:9': '-', '88:3': '-', '88:88': '',
};

test('contract 3.2.11a: every pair of statuses has the shortest path of the table, or none', () => {
  for (const from of STATUSES) {
    for (const to of STATUSES) {
      const path = pathBetween(from, to);
      assert.equal(path === null ? '-' : path.join(' '), TABLE[`${from}:${to}`], `${from} → ${to}`);
    }
  }
});

test('the edges are the single-step paths of the table', () => {
  const steps = Object.entries(TABLE).filter(([, path]) => /^\d+$/.test(path));
  assert.deepEqual(
    STATUS_EDGES.map((edge) => edge.join(':')).toSorted(),
    steps.map(([pair]) => pair).toSorted(),
  );
});

test('the unshipped statuses are 0, 1, 2 and 9', () => {
  assert.deepEqual(STATUSES.filter(isUnshipped), [0, 1, 2, 9] satisfies Status[]);
});

test('only a shipment and a cancellation move stock', () => {
  assert.deepEqual(STATUSES.filter(movesStock), [3, 88]);
});
