// Sends at full speed over a bounded number of lanes and records everything. Commands without an answer are resent:
// immediately, later, or in `settle`.
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnknown, type Answer, type Request } from '../observer/requests.ts';
import { Account, type Told, type Totals } from './account.ts';
import { Client } from './client.ts';
import type { Command, Fact, Ledger } from './ledger.ts';
import { finish, Plan, type Read, type Task } from './plan.ts';
import { Random } from '../kit/random.ts';
import type { Keys } from './setup.ts';
import type { World } from './world.ts';

export interface TrafficOptions {
  /** Origins of the service's processes, such as http://127.0.0.1:8080. */
  urls: string[];
  world: World;
  keys: Keys;
  seed: number;
  connections: number;
}

export interface Progress extends Totals {
  /** Commands that wait to be resent. */
  aside: number;
  violations: string[];
}

/** After this many violations the traffic stops: more would add no information. */
const VIOLATIONS_MAX = 100;
const SETTLE_MS = 120_000;
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 300;

interface Aside {
  told: Told;
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
  readonly #client: Client;
  readonly #random: Random;
  readonly #plan: Plan;
  readonly #aside: Aside[] = [];
  readonly #lanes: Promise<void>[] = [];
  #attempts = 0;
  #busy = 0;
  #running = false;
  #ended = false;
  #wake: () => void = () => {};
  #awake: Promise<void> = Promise.resolve();

  constructor(options: TrafficOptions, ledger: Ledger) {
    this.#options = options;
    this.#ledger = ledger;
    this.#client = new Client(options);
    this.#random = new Random(options.seed);
    this.#account = new Account(options.world, (violation) => this.#write({ violation }));
    this.#write({ world: options.world });
    this.#plan = new Plan(options.world, this.#account, this.#random);
  }

  start(): void {
    this.#running = true;
    while (this.#lanes.length < this.#options.connections) this.#lanes.push(this.#lane());
  }

  /** Resolves once no request is in flight. */
  async pause(): Promise<void> {
    if (this.#running) {
      this.#running = false;
      this.#awake = new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    while (this.#busy > 0) await sleep(5);
    await this.#ledger.flushed();
  }

  resume(): void {
    this.#running = true;
    this.#wake();
  }

  /**
   * Resends every command with an unknown outcome until it has a definite answer; returns how many have none. Then asks for
   * the orders that may have expired. Pause first, and switch the expiry off.
   */
  async settle(): Promise<number> {
    const deadline = Date.now() + SETTLE_MS;
    const aside = (told: Told): Aside => ({
      told,
      task: { task: { holds: null, sends: [] }, numbers: [], left: 1 },
    });
    const pursue = async (one: Aside): Promise<void> => {
      while (!(await this.#transmit(this.#again(one.told), one.told))) {
        if (Date.now() > deadline) return void this.#aside.push(one);
        await this.#breathe();
      }
      this.#done(one.task);
    };
    const open = this.#aside.splice(0);
    await this.#inLanes([...open, ...this.#account.doubtful().map(aside)], pursue);
    await this.#inLanes(this.#account.maybeExpired().map(aside), pursue);
    await this.#ledger.flushed();
    return this.#aside.length;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.pause();
    this.#wake();
    await Promise.all(this.#lanes);
    this.#client.close();
    await this.#ledger.close();
  }

  note(text: string): void {
    this.#write({ note: text });
  }

  progress(): Progress {
    return {
      ...this.#account.totals,
      aside: this.#aside.length,
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
        await this.#awake;
        continue;
      }
      // No race with #awake: it is already resolved while running, so this would be a busy loop that leaks a timer per
      // iteration.
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
      return this.#pursue(one.told, this.#again(one.told), one.task);
    }
    const next = this.#plan.next();
    if ('sends' in next) await this.#perform(next);
    else await this.#read(next);
  }

  async #perform(task: Task): Promise<void> {
    const attempts = task.sends.flatMap((send) => {
      const told = 'again' in send ? this.#commandOf(send.again) : this.#announce(send.command);
      const copies = 'again' in send ? 0 : send.copies - 1;
      const first = 'again' in send ? this.#again(told) : told.number;
      return [first, ...Array.from({ length: copies }, () => this.#again(told))].map((sent) => ({
        told,
        sent,
      }));
    });
    const numbers = attempts.map(({ told }) => told.number);
    const underWay = { task, numbers, left: attempts.length };
    await Promise.all(attempts.map(({ told, sent }) => this.#pursue(told, sent, underWay)));
  }

  /** Retries until there is an answer. At random, and when paused, it puts the command aside with its order for a later retry. */
  async #pursue(told: Told, first: number, task: TaskUnderWay): Promise<void> {
    for (let sent = first; ; sent = this.#again(told)) {
      const answered = await this.#transmit(sent, told);
      if (answered || told.command.kind === 'adjust') return this.#done(task);
      await this.#breathe();
      const crowded = this.#aside.length >= this.#options.connections * 4;
      if (!this.#running || (!crowded && this.#random.chance(0.4))) {
        this.#aside.push({ told, task });
        return;
      }
    }
  }

  #done(task: TaskUnderWay): void {
    task.left -= 1;
    if (task.left > 0) return;
    finish(task.task, task.numbers, this.#plan, this.#account);
  }

  #commandOf(number: number): Told {
    const told = this.#account.commands.get(number);
    if (!told) throw new RangeError(`there is no command ${number}`);
    return told;
  }

  #announce(command: Command): Told {
    const sent = ++this.#attempts;
    this.#write({ sent, command });
    return this.#commandOf(sent);
  }

  #again(told: Told): number {
    const sent = ++this.#attempts;
    this.#write({ sent, again: told.number });
    return sent;
  }

  /** True: there is a definite answer. */
  async #transmit(sent: number, told: Told): Promise<boolean> {
    await this.#ledger.flushed();
    const before = told.unknown;
    const result = await this.#send(told.command);
    if ('status' in result) this.#write({ answered: sent, answer: result });
    else this.#write({ unknown: sent, reason: result.reason });
    return told.unknown === before;
  }

  #send(request: Request): Promise<Answer | { reason: string }> {
    const origin = this.#random.pick(this.#options.urls);
    return this.#client.send(origin, request).catch((error: unknown) => ({
      reason: error instanceof Error ? error.message : String(error),
    }));
  }

  /** Reads change nothing and are not recorded; only violations that they reveal are. */
  async #read(read: Read): Promise<void> {
    const arrives = this.#account.observer.leaves(read);
    const result = await this.#send(read);
    if (isUnknown(arrives('status' in result ? result : null))) await this.#breathe();
  }

  #write(fact: Fact): void {
    this.#account.add(this.#ledger.write(fact), fact);
  }

  #breathe(): Promise<void> {
    return sleep(this.#random.between(PAUSE_MIN_MS, PAUSE_MAX_MS));
  }
}
