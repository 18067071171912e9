// Plays rounds of clients, judges them item by item, and describes a violation.
import { endStates, smallestWindow, Undecided, type Window } from '../linearizability.ts';
import { seedOf } from '../../kit/random.ts';
import type { Model } from '../../kit/model.ts';
import type { Expiry } from './expiry.ts';
import { newEpoch, playRound, type Epoch, type Recorded } from './clients.ts';
import { levelOf, skuModel, type Asked, type Request } from './requests.ts';

const ROUNDS_AN_EPOCH = 6;
const OPERATIONS_A_CLIENT = 10;

export interface HistoryPlan {
  /** Service processes on one database. */
  origins: readonly string[];
  seed: number;
  clients: number;
  expiry: Expiry;
}

export interface HistoryProgress {
  operations: number;
  unanswered: number;
  rounds: number;
  /** Histories with too many unanswered operations to decide. */
  undecided: number;
}

/** Plays rounds until it is stopped; resolves to a description of the first violation, or null. */
export async function findViolation(
  { origins, seed, clients, expiry }: HistoryPlan,
  progress: HistoryProgress,
  shouldContinue: () => boolean,
): Promise<string | null> {
  while (shouldContinue()) {
    const epoch = await newEpoch(origins, expiry);
    for (let round = 0; round < ROUNDS_AN_EPOCH && shouldContinue(); round++) {
      const seed_of_round = seedOf(seed, progress.rounds);
      // Operations with an unknown result may still happen later, so such a round is the last for these items.
      const isImpatient = round === ROUNDS_AN_EPOCH - 1;
      const plan = { clients, operations: OPERATIONS_A_CLIENT, isImpatient, seed: seed_of_round };
      const histories = await playRound(epoch, plan);
      progress.rounds += 1;
      progress.operations += clients * OPERATIONS_A_CLIENT;
      const unanswered = histories.flat().filter(({ answer }) => answer === null).length;
      progress.unanswered += unanswered;
      try {
        const violation = judge(epoch, histories);
        if (violation !== null) return violation;
      } catch (error) {
        if (!(error instanceof Undecided)) throw error;
        progress.undecided += 1;
        break;
      }
      if (unanswered > 0) break;
    }
  }
  return null;
}

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
    return `${times}  ${who}  ${requestWords(input.request)}${answer === null ? '' : ` -> ${answer}`}`;
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

function requestWords(request: Request): string {
  switch (request.kind) {
    case 'intake': {
      const lines = request.lines.map(({ sku, quantity }) => `${quantity} of ${sku}`).join(' and ');
      const what = request.backorder ? 'backorder' : 'order';
      return `channel ${request.channel} sends ${what} ${request.number} in status ${request.status}: ${lines}`;
    }
    case 'report':
      return `channel ${request.channel} reports ${request.number} in status ${request.status}`;
    case 'expire':
      return `the service cancels ${request.number} unless it is paid`;
    case 'lookup':
    case 'list':
      return `channel ${request.channel} asks for the ${request.kind === 'list' ? 'list' : 'SKU'}`;
    case 'level':
      return 'the back office asks for the stock row';
    case 'set':
      return `the back office sets ${request.quantity}`;
    case 'adjust':
      return `the back office adds ${request.delta}`;
    case 'allocate':
      return `the back office gives channel ${request.channel} ${request.allocated} with quota ${request.quota}`;
  }
}
