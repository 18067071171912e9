// Sends at full speed over a bounded number of concurrent loops (lanes) and records everything. Commands
// without an answer are resent: immediately, later, or in `settle`.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonRequest } from '../kit/plain-request.ts';
import { isUnknown, type ServiceAnswer, type ServiceRequest } from '../observer/requests.ts';
import { Account, type CommandRecord, type Totals } from './account.ts';
import { callOf } from './client.ts';
import type { Command, Fact, Ledger } from './ledger.ts';
import { finish, TrafficPlan, type ReadRequest, type Task } from './plan.ts';
import { Random } from '../kit/random.ts';
import type { Keys } from './setup.ts';
import type { Catalogue } from './catalogue.ts';

export interface TrafficOptions {
  /** Origins of the service's processes, such as http://127.0.0.1:8080. */
  urls: string[];
  catalogue: Catalogue;
  keys: Keys;
  seed: number;
  connections: number;
}

export interface TrafficProgress extends Totals {
  violations: string[];
}

/** After this many violations the traffic stops: more would add no information. */
const VIOLATIONS_MAX = 100;
const SETTLE_MS = 120_000;
/** Longer than the service may take, so that a slow answer is not counted as a missing one. */
const ANSWER_MS_MAX = 30_000;
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 300;

interface Aside {
  record: CommandRecord;
  task: TaskUnderWay;
}

interface TaskUnderWay {
  task: Task;
  numbers: readonly number[];
  left: number;
}

export class Traffic {
  readonly #options: TrafficOptions;
  readonly #ledger: Ledger;
  readonly #account: Account;
  readonly #agent: Agent;
  readonly #random: Random;
  readonly #plan: TrafficPlan;
  readonly #aside: Aside[] = [];
  readonly #lanes: Promise<void>[] = [];
  #attempts = 0;
  #busy = 0;
  #running = false;
  #ended = false;
  /** Resolves when a pause ends. */
  #awake = Promise.withResolvers<void>();

  constructor(options: TrafficOptions, ledger: Ledger) {
    this.#options = options;
    this.#ledger = ledger;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections * 2 });
    this.#random = new Random(options.seed);
    this.#account = new Account(options.catalogue, (violation) => this.#write({ violation }));
    this.#write({ catalogue: options.catalogue });
    this.#plan = new TrafficPlan(options.catalogue, this.#account, this.#random);
  }

  start(): void {
    this.#running = true;
    while (this.#lanes.length < this.#options.connections) this.#lanes.push(this.#lane());
  }

  /** Resolves once no request is in flight. */
  async pause(): Promise<void> {
    if (this.#running) this.#awake = Promise.withResolvers();
    this.#running = false;
    while (this.#busy > 0) await sleep(5);
    await this.#ledger.flushed();
  }

  resume(): void {
    this.#running = true;
    this.#awake.resolve();
  }

  /**
   * Resends every command with an unknown outcome until it has a definite answer; returns the number of
   * commands without one. Then resends the orders that may have expired. Call `pause` first, and switch the
   * expiry off.
   */
  async settle(): Promise<number> {
    const deadline = Date.now() + SETTLE_MS;
    const aside = (record: CommandRecord): Aside => ({
      record,
      task: { task: { holds: null, sends: [] }, numbers: [], left: 1 },
    });
    const retry = async (one: Aside): Promise<void> => {
      while (!(await this.#transmit(this.#again(one.record), one.record))) {
        if (Date.now() > deadline) return void this.#aside.push(one);
        await this.#pauseBriefly();
      }
      this.#done(one.task);
    };
    const open = this.#aside.splice(0);
    await this.#inLanes([...open, ...this.#account.doubtful().map(aside)], retry);
    await this.#inLanes(this.#account.maybeExpired().map(aside), retry);
    await this.#ledger.flushed();
    return this.#aside.length;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.pause();
    this.#awake.resolve();
    await Promise.all(this.#lanes);
    this.#agent.destroy();
    await this.#ledger.close();
  }

  note(text: string): void {
    this.#write({ note: text });
  }

  progress(): TrafficProgress {
    return {
      ...this.#account.totals,
      violations: [...this.#account.violations].slice(0, VIOLATIONS_MAX),
    };
  }

  async #inLanes(work: Aside[], run: (one: Aside) => Promise<void>): Promise<void> {
    const lane = async (): Promise<void> => {
      for (let one = work.shift(); one; one = work.shift()) await run(one);
    };
    await Promise.all(Array.from({ length: this.#options.connections }, lane));
  }

  async #lane(): Promise<void> {
    while (!this.#ended) {
      if (!this.#running) {
        await this.#awake.promise;
        continue;
      }
      // Only sleep; do not race with #awake. It is already resolved while the traffic runs, so a race would be
      // a busy loop that leaks a timer per iteration.
      if (this.#account.violations.size >= VIOLATIONS_MAX) {
        await sleep(PAUSE_MAX_MS);
        continue;
      }
      this.#busy += 1;
      try {
        await this.#turn();
      } finally {
        this.#busy -= 1;
      }
    }
  }

  async #turn(): Promise<void> {
    if (this.#aside.length > 0 && this.#random.chance(0.1)) {
      const one = this.#random.draw(this.#aside);
      return this.#retry(one.record, this.#again(one.record), one.task);
    }
    const next = this.#plan.next();
    if ('sends' in next) await this.#perform(next);
    else await this.#read(next);
  }

  async #perform(task: Task): Promise<void> {
    const attempts = task.sends.flatMap((send) => {
      const record = 'again' in send ? this.#commandOf(send.again) : this.#announce(send.command);
      const copies = 'again' in send ? 0 : send.copies - 1;
      const first = 'again' in send ? this.#again(record) : record.number;
      return [first, ...Array.from({ length: copies }, () => this.#again(record))].map((sent) => ({
        record,
        sent,
      }));
    });
    const numbers = attempts.map(({ record }) => record.number);
    const underWay = { task, numbers, left: attempts.length };
    await Promise.all(attempts.map(({ record, sent }) => this.#retry(record, sent, underWay)));
  }

  /**
   * Retries until there is an answer. At random, and when paused, it sets the command aside for later; its
   * order stays locked.
   */
  async #retry(record: CommandRecord, first: number, task: TaskUnderWay): Promise<void> {
    for (let sent = first; ; sent = this.#again(record)) {
      const answered = await this.#transmit(sent, record);
      if (answered || record.command.kind === 'adjust') return this.#done(task);
      await this.#pauseBriefly();
      const crowded = this.#aside.length >= this.#options.connections * 4;
      if (!this.#running || (!crowded && this.#random.chance(0.4))) {
        this.#aside.push({ record, task });
        return;
      }
    }
  }

  #done(task: TaskUnderWay): void {
    task.left -= 1;
    if (task.left > 0) return;
    finish(task.task, task.numbers, this.#plan, this.#account);
  }

  #commandOf(number: number): CommandRecord {
    const record = this.#account.commands.get(number);
    if (!record) throw new RangeError(`there is no command ${number}`);
    return record;
  }

  #announce(command: Command): CommandRecord {
    const sent = ++this.#attempts;
    this.#write({ sent, command });
    return this.#commandOf(sent);
  }

  #again(record: CommandRecord): number {
    const sent = ++this.#attempts;
    this.#write({ sent, again: record.number });
    return sent;
  }

  /** Returns true if there is a definite answer. */
  async #transmit(sent: number, record: CommandRecord): Promise<boolean> {
    await this.#ledger.flushed();
    const before = record.unknown;
    const result = await this.#send(record.command);
    if ('status' in result) this.#write({ answered: sent, answer: result });
    else this.#write({ unknown: sent, reason: result.reason });
    return record.unknown === before;
  }

  async #send(request: ServiceRequest): Promise<ServiceAnswer | { reason: string }> {
    const origin = this.#random.pick(this.#options.urls);
    const { method, path, headers: sent, body } = callOf(request, this.#options.keys);
    const options = { method, agent: this.#agent, headers: sent };
    try {
      const { status, text, headers } = await jsonRequest(
        `${origin}${path}`,
        options,
        body ? JSON.stringify(body) : null,
        ANSWER_MS_MAX,
      );
      const request_id = headers['x-request-id']?.toString() ?? null;
      return { status, text, request_id, retry_after: headers['retry-after'] ?? null };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Reads change nothing, so they are not recorded; only violations that they reveal are. */
  async #read(read: ReadRequest): Promise<void> {
    const arrives = this.#account.observer.leaves(read);
    const result = await this.#send(read);
    if (isUnknown(arrives('status' in result ? result : null))) await this.#pauseBriefly();
  }

  #write(fact: Fact): void {
    this.#account.add(this.#ledger.write(fact), fact);
  }

  #pauseBriefly(): Promise<void> {
    return sleep(this.#random.between(PAUSE_MIN_MS, PAUSE_MAX_MS));
  }
}
