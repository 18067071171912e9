// The observer sees the requests and answers of concurrent clients, and reports impossible answers. Drills and
// the simulator call it for every answer; the check of a drill replays the ledger through it.
import { Knowledge } from './knowledge.ts';
import type { KnownOrder } from './known-order.ts';
import { judgeOrder } from './orders.ts';
import { judgeList, judgeLookup } from './reads.ts';
import { judgeReport } from './reports.ts';
import {
  parsedJson,
  saidBy,
  requestWords,
  type ServiceAnswer,
  type Finding,
  type FindingKind,
  type ReadAnswer,
  type ServiceRequest,
  type Judge,
} from './requests.ts';
import { judgeAdjustment, judgeCount } from './stock-changes.ts';
import type { World } from './world.ts';

export interface Watcher {
  /** null: an administrator */
  onFinding?(channel: number | null, finding: Finding): void;
  onViolation?(sentence: string): void;
}

/**
 * Statuses of requests that were not processed; they are treated like a missing answer. A request that is
 * received too slowly gets 408, which also happens on a busy machine.
 */
const TURNED_AWAY = [408, 429, 503];

export class Observer extends Knowledge {
  readonly #watcher: Watcher;

  constructor(world: World, watcher: Watcher = {}) {
    super(world, (sentence) => watcher.onViolation?.(sentence));
    this.#watcher = watcher;
  }

  /**
   * Call it when a request is sent, and the returned function when its answer arrives. `line`: the line of the
   * ledger.
   */
  leaves(
    request: ServiceRequest,
    line?: number,
  ): (answer: ServiceAnswer | null, line?: number) => FindingKind {
    const channel = 'channel' in request ? request.channel : null;
    const verdict = this.#verdictOn(request);
    const order = this.#orderOf(request);
    const note = (at: number | undefined): void => {
      if (order && at !== undefined) order.lines.push(at);
    };
    note(line);
    return (answer, at) => {
      note(at);
      const read = answer && this.#read(channel, request, answer);
      if (read === null && order?.channel === channel)
        order[request.kind === 'order' ? 'lost' : 'lost_reports'] += 1;
      const found = read ? verdict(read) : notExecuted(request, answer);
      this.#watcher.onFinding?.(channel, found);
      return found.kind;
    };
  }

  #verdictOn(request: ServiceRequest): Judge {
    switch (request.kind) {
      case 'order':
        return judgeOrder(this, request.channel, request.body);
      case 'report':
        return judgeReport(this, request);
      case 'lookup':
        return judgeLookup(this, request.channel, request.sku);
      case 'list':
        return judgeList(this, request.channel, request.etag);
      case 'adjust':
        return judgeAdjustment(this, request);
      case 'count':
        return judgeCount(this, request);
    }
  }

  #orderOf(request: ServiceRequest): KnownOrder | undefined {
    if (request.kind === 'order') return this.orders.get(request.body.order_number);
    return request.kind === 'report' ? this.orders.get(request.order_number) : undefined;
  }

  /** Checks that apply to every answer. null: the request was turned away, which is like no answer. */
  #read(channel: number | null, request: ServiceRequest, answer: ServiceAnswer): ReadAnswer | null {
    const { status, request_id, retry_after, text } = answer;
    const words = `${requestWords(request)} was answered ${status}`;
    if (request_id === null) this.addViolation(channel, `${words} without an X-Request-Id.`);
    const isTurnedAway = TURNED_AWAY.includes(status);
    if (isTurnedAway && status !== 408 && retry_after === null)
      this.addViolation(channel, `${words} without a Retry-After.`);
    // On a shared service an operator may deactivate a channel or rotate its key.
    if (isTurnedAway || (status === 401 && !this.isAlone)) return null;
    return { ...answer, json: parsedJson(text) };
  }
}

const notExecuted = (request: ServiceRequest, answer: ServiceAnswer | null): Finding =>
  answer
    ? { kind: 'turned_away', words: saidBy(answer) }
    : { kind: 'unanswered', words: requestWords(request) };
