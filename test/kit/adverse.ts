// Shared by the tests of adverse states: waiting for a state, and assertions for each of them.
import assert from 'node:assert/strict';
import type { DatabaseState } from '../../src/platform/database/health.ts';
import { connect, query } from '../../verify/kit/connection.ts';
import type { HttpAnswer } from '../../verify/kit/service.ts';
import { until } from '../../verify/kit/until.ts';

/** Waits until this many database connections wait for a lock. */
export const untilWaiting = (url: string, count: number): Promise<void> =>
  until(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await query(url, waiting)).length === count;
  }, `${count} connections wait for a lock`);

/** A statement that locks the stock row of a variant. */
export const lockStockOf = (variantCode: string): string =>
  `select from stock where variant_id = (select id from variant where code = '${variantCode}') for update`;

/** A transaction of another client, open until `end`. */
export async function openTransaction(url: string, ...statements: string[]) {
  const client = await connect(url, { application_name: 'somebody else' });
  for (const sql of ['begin', ...statements]) await client.query(sql);
  return {
    pid: (client as unknown as { processID: number }).processID,
    end: async (how: 'commit' | 'rollback' = 'rollback') => {
      await client.query(how);
      await client.end();
    },
  };
}

/** 503 in the error shape, with Retry-After. Only the admin API has a code in the body; the channel API has a header. */
export function assertNotNow(answer: HttpAnswer): void {
  assert.equal(answer.status, 503, answer.text);
  const hasCode = answer.json.code === 'unavailable' && !answer.headers.has('sluice-error');
  assert.deepEqual(Object.keys(answer.json), hasCode ? ['error', 'code', 'details'] : ['error']);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1, 'no Retry-After');
}

const readyz = async (origin: string): Promise<{ status: number; text: string; retry: string | null }> => {
  const answer = await fetch(`${origin}/readyz`);
  return { status: answer.status, text: await answer.text(), retry: answer.headers.get('retry-after') };
};

async function measuredState(origin: string): Promise<string> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const found = [...text.matchAll(/^sluice_database_state\{state="(\w+)"\} 1$/gm)].map((match) => match[1]);
  assert.equal(found.length, 1, `one state at a time, not ${found.join()}`);
  return found[0] ?? '';
}

/** Waits until the metrics report this state, regardless of /readyz. */
export const untilMeasured = (origin: string, state: DatabaseState): Promise<void> =>
  until(async () => (await measuredState(origin)) === state, `the metrics report ${state}`);

/** Waits until /readyz and the metrics report this state. */
export async function untilState(origin: string, state: DatabaseState, words: RegExp): Promise<void> {
  let last = '';
  const isThere = async (): Promise<boolean> => {
    const answer = await readyz(origin);
    const measured = await measuredState(origin);
    last = `${answer.status} ${answer.text} ${measured}`;
    if (measured !== state || !words.test(answer.text)) return false;
    assert.equal(answer.status, state === 'ready' ? 200 : 503);
    assert.equal(Number(answer.retry ?? 0) >= 1, state !== 'ready');
    return true;
  };
  await until(isThere, `${state} (last seen: ${last})`).catch((error: unknown) => {
    throw new Error(`${state} was never reported, last: ${last}`, { cause: error });
  });
}

export const untilReady = (origin: string): Promise<void> => untilState(origin, 'ready', /"ready"/);
