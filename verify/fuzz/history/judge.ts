// Plays rounds of clients, judges them item by item, and describes a violation.
import { setTimeout as sleep } from 'node:timers/promises';
import { connected } from '../../kit/connection.ts';
import type { TestDatabase } from '../../kit/database.ts';
import type { Model } from '../../kit/model.ts';
import { Random, seedOf } from '../../kit/random.ts';
import { openService } from '../../kit/service.ts';
import { endStates, smallestWindow, Undecided, type Window } from '../linearizability.ts';
import { newEpoch, playRound, type Epoch, type Recorded, type Services } from './clients.ts';
import { levelOf, skuModel, type Asked } from './requests.ts';

const ROUNDS_AN_EPOCH = 6;
const OPERATIONS_A_CLIENT = 10;

export interface HistoryPlan {
  /** Service processes on one database. */
  origins: readonly string[];
  database: TestDatabase;
  seed: number;
  clients: number;
}

export class HistoryTally {
  operations = 0;
  unanswered = 0;
  rounds = 0;
  /** Histories with too many unanswered operations to decide. */
  undecided = 0;
}

/** Plays rounds until it is stopped; resolves to a description of the first violation, or null. */
export async function findViolation(
  { origins, database, seed, clients }: HistoryPlan,
  progress: HistoryTally,
  shouldContinue: () => boolean,
): Promise<string | null> {
  const expirer = await openService({ database });
  const over = new AbortController();
  const holding = holdRows(database.url, seed, over.signal);
  try {
    while (shouldContinue()) {
      const violation = await playEpoch(
        { origins, database, expirer },
        { seed, clients },
        progress,
        shouldContinue,
      );
      if (violation !== null) return violation;
    }
    return null;
  } finally {
    over.abort();
    await holding;
    await expirer.close();
  }
}

async function playEpoch(
  services: Services,
  { seed, clients }: Pick<HistoryPlan, 'seed' | 'clients'>,
  progress: HistoryTally,
  shouldContinue: () => boolean,
): Promise<string | null> {
  const epoch = await newEpoch(services, seedOf(seed, progress.rounds));
  for (let round = 0; round < ROUNDS_AN_EPOCH && shouldContinue(); round++) {
    // Operations with an unknown result may still happen later, so such a round is the last for these items.
    const isImpatient = round === ROUNDS_AN_EPOCH - 1;
    const plan = {
      clients,
      operations: OPERATIONS_A_CLIENT,
      isImpatient,
      seed: seedOf(seed, progress.rounds),
    };
    const histories = await playRound(epoch, plan);
    const unanswered = histories.flat().filter(({ answer }) => answer === null).length;
    progress.rounds += 1;
    progress.operations += clients * OPERATIONS_A_CLIENT;
    progress.unanswered += unanswered;
    try {
      const violation = judge(epoch, histories);
      if (violation !== null) return violation;
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      progress.undecided += 1;
      return null;
    }
    if (unanswered > 0) return null;
  }
  return null;
}

const HOLD_MS_MAX = 15;
const PAUSE_MS_MAX = 150;

const HELD = [
  `select from stock where variant_id > (select max(variant_id) - 3 from stock) and variant_id % 3 = any($1)
   for update skip locked`,
  `select from orders where id > (select max(id) - 6 from orders) and id % 3 = any($1) for update skip locked`,
] as const;

/**
 * A separate transaction that repeatedly locks rows of the newest items and orders for a moment, like a slow import or an
 * administrator's query. It never waits for a row itself.
 */
const holdRows = (url: string, seed: number, over: AbortSignal): Promise<void> =>
  connected(url, async (client) => {
    const random = new Random(seed);
    while (!over.aborted) {
      await client.query('begin');
      await client.query(random.pick(HELD), [[random.below(3), random.below(3)]]);
      await sleep(random.below(HOLD_MS_MAX));
      await client.query('rollback');
      await sleep(random.below(PAUSE_MS_MAX));
    }
  });

function judge({ items }: Epoch, histories: readonly Recorded[][]): string | null {
  for (const [index, item] of items.entries()) {
    const history = histories[index] ?? [];
    const model = skuModel(index);
    const states = endStates(history, model, item.states);
    if (states.length === 0) return explain(index, smallestWindow(history, model, item.states));
    item.states = states;
  }
  return null;
}

/** A reader does not need more possible initial states than this. */
const BEGINNINGS_SHOWN_MAX = 4;

function explain(item: number, { before, operations, meanwhile }: Window<Model, Asked, string>): string {
  const start = Math.min(...[...operations, ...meanwhile].map(({ invoked }) => invoked));
  const beginnings = [...new Set(before.map((model) => levelOf(model, item)))];
  const line = ({ input, invoked, returned, answer }: Recorded): string => {
    const until = Number.isFinite(returned) ? (returned - start).toFixed(2) : '';
    const times = `${(invoked - start).toFixed(2).padStart(9)} ${until.padStart(9)}`;
    const who = `client ${input.client} at ${input.service}`;
    return `${times}  ${who}  ${JSON.stringify(input.request)}${answer === null ? '' : ` -> ${answer}`}`;
  };
  return [
    `Item ${item}: no sequence of these operations explains their answers.`,
    `State before, one of:`,
    ...beginnings.slice(0, BEGINNINGS_SHOWN_MAX).map((text) => `  ${text}`),
    'Sent and answered, in milliseconds:',
    ...operations.map(line),
    ...(meanwhile.length > 0
      ? ['Sent by then but not answered; these do not explain the answers either:', ...meanwhile.map(line)]
      : []),
  ].join('\n');
}
