// Replays the ledger lines in order: commands, attempts, answers, and the observer's findings. Pure: the driver adds each
// line as it writes it; the check adds them from the file.
import { Observer } from '../observer/observer.ts';
import { isUnknown, type ServiceAnswer, type FindingKind } from '../observer/requests.ts';
import type { Command, Fact } from './ledger.ts';
import { observed, type Catalogue } from './catalogue.ts';

/** A command with its last definite answer. */
export interface CommandRecord<C extends Command = Command> {
  number: number;
  command: C;
  /** The ledger line of the first attempt. */
  line: number;
  /** Attempts with an unknown outcome. */
  unknown: number;
  /** null: there is no definite answer. */
  kind: FindingKind | null;
}

interface Attempt {
  record: CommandRecord;
  arrives: (answer: ServiceAnswer | null, line: number) => FindingKind;
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
  /** Attempts with an unknown outcome, and commands that were answered after one. */
  unknown: number;
  settled: number;
}

/** How many commands have succeeded. */
export const acknowledgedIn = ({ acknowledged }: Totals): number =>
  Object.values(acknowledged).reduce((sum, count) => sum + count, 0);

export class Account {
  readonly catalogue: Catalogue;
  readonly observer: Observer;
  readonly commands = new Map<number, CommandRecord>();
  readonly #byOrder = new Map<string, OrderCommands>();
  readonly violations = new Set<string>();
  readonly totals: Totals = {
    acknowledged: { order: 0, report: 0, adjust: 0, count: 0 },
    attempts: 0,
    unknown: 0,
    settled: 0,
  };
  readonly #attempts = new Map<number, Attempt>();

  /** `onViolation` is called once for each violation. */
  constructor(catalogue: Catalogue, onViolation: (violation: string) => void = () => {}) {
    this.catalogue = catalogue;
    this.observer = new Observer(observed(catalogue), {
      onViolation: (text) => {
        this.violations.add(text);
        onViolation(text);
      },
    });
  }

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

  commandsOf<K extends Command['kind']>(kind: K): CommandRecord<Extract<Command, { kind: K }>>[] {
    return [...this.commands.values()].filter(
      (record): record is CommandRecord<Extract<Command, { kind: K }>> => record.command.kind === kind,
    );
  }

  /** Commands without a definite answer. Adjustments are not included: the check looks for them in the database. */
  unsettled(): CommandRecord[] {
    return [...this.commands.values()].filter(
      ({ command, kind }) => kind === null && command.kind !== 'adjust',
    );
  }

  /**
   * Commands that were refused while another attempt of the same command has an unknown outcome and may still be
   * executed. Sent once more after the load has stopped, they get a final answer.
   */
  doubtful(): CommandRecord[] {
    return [...this.commands.values()].filter(isDoubtful);
  }

  /** The intakes of orders that the service may have cancelled. A resend shows whether it has. */
  maybeExpired(): CommandRecord[] {
    return this.commandsOf('order').filter(
      ({ command: { channel, body } }) =>
        this.observer.orders.get(body.order_number)?.channel === channel &&
        this.#isWaitingToExpire(body.order_number),
    );
  }

  #isWaitingToExpire(orderNumber: string): boolean {
    const order = this.observer.orders.get(orderNumber);
    return (
      order !== undefined &&
      order.shown !== null &&
      order.states.furthest === 0 &&
      this.catalogue.channels[order.channel]?.expires === true
    );
  }

  /**
   * Removes an order that gets no more commands from the driver's memory; the ledger file keeps it for the
   * check. An order that may still expire is kept. For example, an order that was first refused may have been
   * accepted by a resend.
   */
  forget(orderNumber: string): void {
    if (this.#isWaitingToExpire(orderNumber)) return;
    const numbers = this.#byOrder.get(orderNumber)?.all ?? [];
    const record = numbers.flatMap((number) => this.commands.get(number) ?? []);
    if (record.some((one) => one.kind === null || isDoubtful(one))) return;
    for (const number of numbers) this.commands.delete(number);
    this.#byOrder.delete(orderNumber);
    this.observer.forget(orderNumber);
  }

  /** The same for stock changes: adjustments, which are sent only once, and answered counts. */
  forgetStockChanges(numbers: readonly number[]): void {
    for (const number of numbers) {
      const record = this.commands.get(number);
      const isOver = record?.command.kind === 'count' && record.kind !== null;
      if (record?.command.kind === 'adjust' || isOver) this.commands.delete(number);
    }
  }

  #sent(line: number, fact: Extract<Fact, { sent: number }>): void {
    const record =
      'again' in fact ? this.commands.get(fact.again) : this.#first(line, fact.sent, fact.command);
    if (!record) throw new RangeError(`line ${line} sends a command again that was never sent`);
    this.totals.attempts += 1;
    this.#attempts.set(fact.sent, { record, arrives: this.observer.leaves(record.command, line) });
    if ('command' in fact) this.#mayExpire(fact.command);
  }

  /** The service may cancel the order at any time. For the observer this is a cancellation that got no answer. */
  #mayExpire(command: Command): void {
    if (command.kind !== 'order' || command.body.status !== 0) return;
    const { channel, body } = command;
    if (!this.catalogue.channels[channel]?.expires) return;
    const { order_number } = body;
    if (this.observer.orders.get(order_number)?.channel !== channel) return;
    this.observer.leaves({ kind: 'report', channel, order_number, status: 88 })(null);
  }

  #first(line: number, number: number, command: Command): CommandRecord {
    const record: CommandRecord = { number, command, line, unknown: 0, kind: null };
    this.commands.set(number, record);
    if (command.kind === 'order' || command.kind === 'report') {
      const name = command.kind === 'order' ? command.body.order_number : command.order_number;
      const known = this.#byOrder.get(name) ?? { intake: number, last_report: null, all: [] };
      known.all.push(number);
      const isOwn = this.observer.orders.get(name)?.channel === command.channel;
      if (command.kind === 'report' && isOwn) known.last_report = number;
      this.#byOrder.set(name, known);
    }
    return record;
  }

  #ended(line: number, number: number, answer: ServiceAnswer | null): void {
    const attempt = this.#attempts.get(number);
    if (!attempt) throw new RangeError(`line ${line} ends an attempt that was never sent`);
    this.#attempts.delete(number);
    const { record } = attempt;
    const kind = attempt.arrives(answer, line);
    if (isUnknown(kind)) {
      record.unknown += 1;
      this.totals.unknown += 1;
      return;
    }
    if (record.kind === null) {
      this.totals.acknowledged[record.command.kind] += 1;
      if (record.unknown > 0) this.totals.settled += 1;
    }
    if (kind === 'stale' && record.unknown === 0 && record.kind === null)
      this.observer.addViolation(
        null,
        `the count of line ${record.line} was answered as stale in line ${line}, although there is no other client.`,
      );
    record.kind = kind;
  }
}

const isDoubtful = ({ command, unknown, kind }: CommandRecord): boolean =>
  unknown > 0 && command.kind !== 'adjust' && (kind === 'refused' || kind === 'short');
