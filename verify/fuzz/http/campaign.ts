// Runs cases against one service in groups (lots). Between lots it checks the database, the log and the memory,
// and restores the fixtures.
import { Books, Confirmed } from './books.ts';
import { Cases } from './cases.ts';
import { readOperations, type ApiOperation } from './document.ts';
import { faultIn, isPlain, type HttpFault } from './judge.ts';
import { asksForUpgrade, bytesOf, isComplete, shownBytes, type Case } from './message.ts';
import type { Target } from './target.ts';
import { RawConnection, piecesOf, type RawExchange } from '../../kit/raw-http.ts';
import { seedOf } from '../../kit/random.ts';
import { Fixtures } from './fixtures.ts';
import { wrongPrediction } from './predicted.ts';

const LOT_CASES = 2_000;
/** The last cases of a lot are sent one at a time, with the database compared before and after each. */
const SERIAL_CASES = 8;
const LANES = 48;
/** No request here takes seconds, but a loaded machine may be slow. */
const WAIT_MS = 20_000;
const RESIDENT_MEGABYTES_MAX = 800;
const RECONCILED_EVERY_LOTS = 20;
/** After this many faults the run stops: more would add no information. */
const FAULTS_MAX = 20;

export interface FailedCase extends HttpFault {
  /** The value for `--replay`, such as `7:123`. */
  replay: string;
  reproduction: string;
}

export interface Tally {
  requests: number;
  answers: Map<number, number>;
  lots: number;
  /** The highest value seen. */
  megabytes: number;
  slowest_ms: number;
  failures: FailedCase[];
}

interface Suspect {
  given: Case;
  exchange: RawExchange;
  /** The previous case on the same connection. */
  before: Case | null;
}

export interface CampaignOptions {
  seed: number;
  /** The run stops after the lot in which this number is reached. */
  requests: number;
  /** Checked before each request. */
  isOver: () => boolean;
  lotCases?: number;
  onFailure?: (failure: FailedCase) => void;
}

export class Campaign {
  readonly #target: Target;
  readonly #operations: readonly ApiOperation[];
  readonly #fixtures: Fixtures;
  readonly #books: Books;
  readonly #cases: Cases;
  readonly #options: CampaignOptions;
  readonly tally: Tally = {
    requests: 0,
    answers: new Map(),
    lots: 0,
    megabytes: 0,
    slowest_ms: 0,
    failures: [],
  };
  readonly #seenKinds = new Set<string>();
  #logRead = 0;

  private constructor(
    target: Target,
    operations: readonly ApiOperation[],
    fixtures: Fixtures,
    options: CampaignOptions,
  ) {
    this.#target = target;
    this.#operations = operations;
    this.#fixtures = fixtures;
    this.#books = new Books(target.pool);
    this.#cases = new Cases(operations, options.seed);
    this.#options = options;
  }

  static async create(target: Target, options: CampaignOptions): Promise<Campaign> {
    const operations = await readOperations(target.service.origin);
    return new Campaign(target, operations, await Fixtures.create(target), options);
  }

  /** All cases, or only one. */
  async run(only: number | null = null): Promise<Tally> {
    try {
      if (only === null) await this.#runLots();
      else await this.#sendAlone(this.#cases.make(only));
      return this.tally;
    } finally {
      this.#fixtures.close();
    }
  }

  async #runLots(): Promise<void> {
    const { requests, lotCases = LOT_CASES, isOver } = this.#options;
    for (let first = 0; this.tally.requests < requests && !isOver(); first += lotCases) {
      if (this.tally.failures.length >= FAULTS_MAX) break;
      await this.#lot(first, lotCases);
      if (!this.#target.isAlive()) return;
    }
    await this.#reconcile();
  }

  async #lot(first: number, count: number): Promise<void> {
    await this.#fixtures.restore();
    await this.#predict(first);
    await this.#books.mark();
    const confirmed = new Confirmed();
    const suspects: Suspect[] = [];
    let next = first;
    const end = first + count - SERIAL_CASES;
    const lane = async (): Promise<void> => {
      const connection = new RawConnection(this.#target.service.origin);
      let before: Case | null = null;
      while (next < end && this.#target.isAlive() && !this.#options.isOver()) {
        const given = this.#cases.make(next++);
        let exchange = await this.#send(given, connection);
        // The service may close the connection after bytes that are not HTTP. Then this case was not read and
        // is sent again.
        const isUnread = isComplete(given) && exchange.end === 'closed' && exchange.answers.length === 0;
        if (isUnread && before && !before.messages.every(isPlain)) {
          confirmed.add(given, exchange);
          exchange = await this.#send(given, connection);
        }
        confirmed.add(given, exchange);
        if (faultIn(this.#operations, given, exchange)) suspects.push({ given, exchange, before });
        before = given;
        // Node misses a parse error after an ignored "Upgrade" until the header timeout, so the next case gets a new
        // connection.
        if (given.messages.some(asksForUpgrade)) connection.close();
      }
      // The service may close the connection after bytes that are not HTTP, so the next lot gets a new one.
      connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    this.tally.lots += 1;
    if (!this.#target.isAlive()) return this.#reportDeath(suspects.map(({ given }) => given));
    for (const { given, exchange, before } of suspects) await this.#check(given, exchange, before);
    for (const fault of await this.#books.faults(confirmed))
      this.#report(fault, `lot ${first} to ${end}`, `cases ${first} to ${end}`);
    for (let index = end; index < first + count && !this.#options.isOver(); index++)
      await this.#sendBetweenSnapshots(this.#cases.make(index));
    await this.#checkProcess(first);
  }

  async #predict(first: number): Promise<void> {
    const seed = seedOf(this.#options.seed, first);
    const fault = await wrongPrediction(this.#target, this.#fixtures.keyOf, seed);
    if (fault) this.#report(fault, `orders before case ${first}`, 'orders that the model predicts');
  }

  async #sendAlone(given: Case): Promise<RawExchange> {
    const exchange = await this.#send(given);
    await this.#check(given, exchange);
    return exchange;
  }

  /** A refused request must change nothing. */
  async #sendBetweenSnapshots(given: Case): Promise<void> {
    const before = await this.#books.snapshot();
    const exchange = await this.#sendAlone(given);
    const isAnswered = exchange.answers.length >= given.messages.length;
    const isRefused = isAnswered && exchange.answers.every(({ status }) => status >= 400);
    const after = isRefused ? await this.#books.snapshot() : before;
    const text = `refused, but the database changed: ${before} → ${after}`;
    if (after !== before) this.#reportCase({ kind: 'changed', text }, given);
  }

  async #checkProcess(first: number): Promise<void> {
    const place = [`lot ${first}`, `cases from ${first}`] as const;
    const megabytes = (await this.#target.residentMegabytes()) ?? 0;
    this.tally.megabytes = Math.max(this.tally.megabytes, megabytes);
    if (megabytes > RESIDENT_MEGABYTES_MAX)
      this.#report({ kind: 'memory', text: `the process uses ${megabytes} MB` }, ...place);
    const log = this.#target.service.output();
    const lines = log.slice(this.#logRead).split('\n');
    this.#logRead = log.length;
    const error = lines.find((line) => line.includes('"level":50'));
    if (error !== undefined) this.#report({ kind: 'logged', text: error.slice(0, 1_000) }, ...place);
    if (this.tally.lots % RECONCILED_EVERY_LOTS === 0) await this.#reconcile();
  }

  async #reconcile(): Promise<void> {
    if (!this.#target.isAlive()) return;
    const { json, status, text } = await this.#target.service.admin('GET', '/reconcile');
    if (status === 200 && json?.data?.ok === true) return;
    const fault = { kind: 'drift', text: `the counters drifted: ${text.slice(0, 1_000)}` };
    this.#report(fault, 'all', 'all cases so far');
  }

  /** Without a connection, and for an incomplete case, it gets its own, which is closed after it. */
  async #send(given: Case, connection: RawConnection | null = null): Promise<RawExchange> {
    const closes = !isComplete(given);
    const used = connection === null || closes ? new RawConnection(this.#target.service.origin) : connection;
    const exchange = await used.send({
      pieces: piecesOf(bytesOf(given, this.#fixtures.fill), given.writes),
      methods: given.messages.map(({ method }) => method),
      closes,
      wait_ms: WAIT_MS,
    });
    if (used !== connection) used.close();
    this.tally.requests += given.messages.length;
    this.tally.slowest_ms = Math.max(this.tally.slowest_ms, exchange.ms);
    for (const { status } of exchange.answers)
      this.tally.answers.set(status, (this.tally.answers.get(status) ?? 0) + 1);
    return exchange;
  }

  async #check(given: Case, exchange: RawExchange, before: Case | null = null): Promise<void> {
    const fault = faultIn(this.#operations, given, exchange);
    if (!fault || this.#isKnown(fault, given)) return;
    const attempt = async (smaller: Case): Promise<HttpFault | null> =>
      faultIn(this.#operations, smaller, await this.#send(smaller));
    const { smallest, fault: again } = await this.#cases.smallest(given.index, fault.kind, attempt);
    // The service may close an idle connection at the moment when the next request is sent on it.
    if (!again && before && exchange.answers.length === 0 && !(await this.#recursAfter(before, given)))
      return;
    const previous = before ? `; the case before it on the connection: ${shown(before)}` : '';
    const text = again ? again.text : `${fault.text} (not reproduced by this case alone${previous})`;
    this.#reportCase({ kind: fault.kind, text }, smallest);
  }

  /** Whether the fault occurs again when both cases are sent on a new connection. */
  async #recursAfter(before: Case, given: Case): Promise<boolean> {
    const connection = new RawConnection(this.#target.service.origin);
    await this.#send(before, connection);
    const fault = faultIn(this.#operations, given, await this.#send(given, connection));
    connection.close();
    return fault !== null;
  }

  /** Reports one failure per kind, method and first path segment. */
  #isKnown({ kind }: HttpFault, { messages }: Case): boolean {
    const place = messages
      .map(({ method, target }) => `${method} ${target.split(/[/?]/).slice(0, 4).join('/')}`)
      .join();
    const key = `${kind} ${place}`;
    const isKnown = this.#seenKinds.has(key);
    this.#seenKinds.add(key);
    return isKnown;
  }

  #reportDeath(suspects: readonly Case[]): void {
    const output = this.#target.service.output().slice(-1_500);
    this.#report(
      { kind: 'died', text: `the process has exited:\n${output}` },
      `lot ${this.tally.lots}`,
      `caused by one of these cases, which were not answered:\n${suspects.map(shown).join('\n')}`,
    );
  }

  #reportCase(fault: HttpFault, given: Case): void {
    this.#addFailure({
      ...fault,
      replay: `${this.#options.seed}:${given.index}`,
      reproduction: shown(given),
    });
  }

  /** For a fault of more than one case. */
  #report(fault: HttpFault, place: string, cases: string): void {
    this.#addFailure({ ...fault, replay: `seed ${this.#options.seed}, ${place}`, reproduction: cases });
  }

  #addFailure(failure: FailedCase): void {
    this.tally.failures.push(failure);
    this.#options.onFailure?.(failure);
  }
}

/** The case with placeholders instead of the keys of this run. */
const shown = (given: Case): string => shownBytes(bytesOf(given, (text) => text));
