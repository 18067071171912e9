// What the ledger's lines, read in order, say: commands, their attempts and answers, and what the observer makes of them. Pure:
// the driver feeds it each line as it writes it, the check reads them back from the file.
import { Observer } from '../observer/observer.ts';
import { isUnknown, type Answer, type Kind } from '../observer/requests.ts';
import type { Command, Fact } from './ledger.ts';
import { observed, type World } from './world.ts';

/** A command with its last definite answer. */
export interface Told<C extends Command = Command> {
  number: number;
  command: C;
  /** Of its first attempt. */
  line: number;
  /** Attempts whose end was not told. */
  unknown: number;
  /** null: there is no definite answer. */
  kind: Kind | null;
}

interface Attempt {
  told: Told;
  arrives: (answer: Answer | null, line: number) => Kind;
}

/** The numbers of the commands on one order. */
interface OrderCommands {
  intake: number;
  last_report: number | null;
  all: number[];
}

export interface Totals {
  /** Commands that have a definite answer. */
  acknowledged: Record<Command['kind'], number>;
  attempts: number;
  /** Attempts whose end was not told, and commands that got their answer after one. */
  unknown: number;
  settled: number;
}

export class Account {
  readonly world: World;
  readonly observer: Observer;
  readonly commands = new Map<number, Told>();
  readonly #byOrder = new Map<string, OrderCommands>();
  readonly violations = new Set<string>();
  readonly totals: Totals = {
    acknowledged: { order: 0, report: 0, adjust: 0, count: 0 },
    attempts: 0,
    unknown: 0,
    settled: 0,
  };
  readonly #attempts = new Map<number, Attempt>();

  /** `broke` is told of each violation once. */
  constructor(world: World, broke: (violation: string) => void = () => {}) {
    this.world = world;
    this.observer = new Observer(observed(world), {
      broke: (text) => {
        this.violations.add(text);
        broke(text);
      },
    });
  }

  /** Takes the next line. */
  add(line: number, fact: Fact): void {
    if ('sent' in fact) this.#sent(line, fact);
    else if ('answered' in fact) this.#ended(line, fact.answered, fact.answer);
    else if ('unknown' in fact) this.#ended(line, fact.unknown, null);
    else if ('violation' in fact) this.violations.add(fact.violation);
  }

  commandsOn(orderNumber: string): OrderCommands {
    const found = this.#byOrder.get(orderNumber);
    if (!found) throw new RangeError(`there is no order ${orderNumber}`);
    return found;
  }

  commandsOf<K extends Command['kind']>(kind: K): Told<Extract<Command, { kind: K }>>[] {
    return [...this.commands.values()].filter(
      (told): told is Told<Extract<Command, { kind: K }>> => told.command.kind === kind,
    );
  }

  /** Commands without a definite answer. An adjustment is not among them: it is settled by looking for it. */
  unsettled(): Told[] {
    return [...this.commands.values()].filter(
      ({ command, kind }) => kind === null && command.kind !== 'adjust',
    );
  }

  /**
   * Refused, with an attempt beside it whose end is not known and which may have been waiting somewhere still.
   * Sent once more when all is quiet, such a command gets its last word.
   */
  doubtful(): Told[] {
    return [...this.commands.values()].filter(isDoubtful);
  }

  /** The driver's own memory of an order that it sends nothing for again. The file keeps all of it for the check. */
  forget(orderNumber: string): void {
    const numbers = this.#byOrder.get(orderNumber)?.all ?? [];
    const told = numbers.flatMap((number) => this.commands.get(number) ?? []);
    if (told.some((one) => one.kind === null || isDoubtful(one))) return;
    for (const number of numbers) this.commands.delete(number);
    this.#byOrder.delete(orderNumber);
    this.observer.forget(orderNumber);
  }

  /** Likewise of adjustments, which are sent once, and of counts that have their answer. */
  forgetStockChanges(numbers: readonly number[]): void {
    for (const number of numbers) {
      const told = this.commands.get(number);
      const isOver = told?.command.kind === 'count' && told.kind !== null;
      if (told?.command.kind === 'adjust' || isOver) this.commands.delete(number);
    }
  }

  #sent(line: number, fact: Extract<Fact, { sent: number }>): void {
    const told = 'again' in fact ? this.commands.get(fact.again) : this.#first(line, fact.sent, fact.command);
    if (!told) throw new RangeError(`line ${line} sends a command again that was never sent`);
    this.totals.attempts += 1;
    this.#attempts.set(fact.sent, { told, arrives: this.observer.leaves(told.command, line) });
  }

  #first(line: number, number: number, command: Command): Told {
    const told: Told = { number, command, line, unknown: 0, kind: null };
    this.commands.set(number, told);
    if (command.kind === 'order' || command.kind === 'report') {
      const name = command.kind === 'order' ? command.body.order_number : command.order_number;
      const known = this.#byOrder.get(name) ?? { intake: number, last_report: null, all: [] };
      known.all.push(number);
      const isOwn = this.observer.orders.get(name)?.channel === command.channel;
      if (command.kind === 'report' && isOwn) known.last_report = number;
      this.#byOrder.set(name, known);
    }
    return told;
  }

  #ended(line: number, number: number, answer: Answer | null): void {
    const attempt = this.#attempts.get(number);
    if (!attempt) throw new RangeError(`line ${line} ends an attempt that was never sent`);
    this.#attempts.delete(number);
    const { told } = attempt;
    const kind = attempt.arrives(answer, line);
    if (isUnknown(kind)) {
      told.unknown += 1;
      this.totals.unknown += 1;
      return;
    }
    if (told.kind === null) {
      this.totals.acknowledged[told.command.kind] += 1;
      if (told.unknown > 0) this.totals.settled += 1;
    }
    if (kind === 'stale' && told.unknown === 0 && told.kind === null)
      this.observer.broke(
        null,
        `the count of line ${told.line} was answered as stale in line ${line}, although there is no other client.`,
      );
    told.kind = kind;
  }
}

const isDoubtful = ({ command, unknown, kind }: Told): boolean =>
  unknown > 0 && command.kind !== 'adjust' && (kind === 'refused' || kind === 'short');
