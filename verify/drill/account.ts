// What the ledger's lines, read in order, say must be so; and every line that cannot be. Pure: the driver feeds it
// each line as it writes it, the check reads them back from the file.
import type {
  AdjustCommand,
  Command,
  CountCommand,
  Fact,
  OrderCommand,
  Outcome,
  ReportCommand,
} from './ledger.ts';
import { OrderStates, walk, type Status } from '../kit/order-states.ts';
import type { World } from './world.ts';

/** One order number, as far as it was told. */
export interface ToldOrder {
  /** Of the command that asks for it, and of the last report on it. */
  number: number;
  last_report: number | null;
  command: OrderCommand;
  line: number;
  /** The line of the first answer that had the order. */
  taken: { line: number; id: number; created_at: string } | null;
  /** The line of the answer 201. */
  created_line: number | null;
  /** Intakes whose end was not told. */
  unknown: number;
  states: OrderStates;
  /** The line of the answer that showed the furthest state. */
  status_line: number;
  /** States that were reported, and those acknowledged to be reached, each with its line. */
  reported: Map<Status, number>;
  reached: Map<Status, number>;
  /** Numbers of all commands that name it. */
  commands: number[];
}

/** A command with the line that carries it and its last definite answer. */
interface Told<C extends Command> {
  number: number;
  command: C;
  line: number;
  unknown: number;
  outcome: Outcome | null;
  outcome_line: number;
}

export type ToldCommand = Told<Command>;

interface Attempt {
  told: ToldCommand;
  line: number;
  /** What was known of the order when the attempt left. */
  known: { taken: boolean; possible: ReadonlySet<Status>; status: Status; line: number } | null;
}

export interface Totals {
  /** Commands that have a definite answer. */
  acknowledged: Record<Command['kind'], number>;
  attempts: number;
  /** Attempts whose end was not told, and commands that got their answer after one. */
  unknown: number;
  settled: number;
}

const newOrder = (number: number, command: OrderCommand, line: number): ToldOrder => ({
  number,
  last_report: null,
  command,
  line,
  taken: null,
  created_line: null,
  unknown: 0,
  states: new OrderStates(command.status),
  status_line: line,
  reported: new Map(),
  reached: new Map(),
  commands: [],
});

export class Account {
  world: World | null = null;
  readonly orders = new Map<string, ToldOrder>();
  readonly commands = new Map<number, ToldCommand>();
  adjustments: Told<AdjustCommand>[] = [];
  counts: Told<CountCommand>[] = [];
  readonly violations = new Set<string>();
  readonly totals: Totals = {
    acknowledged: { order: 0, report: 0, adjust: 0, count: 0 },
    attempts: 0,
    unknown: 0,
    settled: 0,
  };
  readonly #attempts = new Map<number, Attempt>();

  /** Takes the next line; returns what is wrong with it. */
  add(line: number, fact: Fact): string[] {
    const found: string[] = [];
    const wrong = (text: string): void => {
      if (!this.violations.has(text)) found.push(text);
      this.violations.add(text);
    };
    if ('world' in fact) this.world = fact.world;
    else if ('sent' in fact) this.#sent(line, fact, wrong);
    else if ('answered' in fact) this.#answered(line, fact.answered, fact.outcome, wrong);
    else if ('unknown' in fact) this.#unknown(line, fact.unknown, wrong);
    else if ('violation' in fact) this.violations.add(fact.violation);
    return found;
  }

  /** Commands without a definite answer. An adjustment is not among them: it is settled by looking for it. */
  unsettled(): ToldCommand[] {
    return [...this.commands.values()].filter(
      ({ command, outcome }) => outcome === null && command.kind !== 'adjust',
    );
  }

  /**
   * Refused, with an attempt beside it whose end is not known and which may have been waiting somewhere still.
   * Sent once more when all is quiet, such a command gets its last word.
   */
  doubtful(): ToldCommand[] {
    return [...this.commands.values()].filter(isDoubtful);
  }

  /** The driver's own memory of an order that it sends nothing for again. The file keeps all of it for the check. */
  forget(orderNumber: string): void {
    const numbers = this.orders.get(orderNumber)?.commands ?? [];
    const told = numbers.flatMap((number) => this.commands.get(number) ?? []);
    if (told.some((one) => one.outcome === null || isDoubtful(one))) return;
    for (const number of numbers) this.commands.delete(number);
    this.orders.delete(orderNumber);
  }

  /** Likewise of adjustments, which are sent once, and of counts that have their answer. */
  forgetStockChanges(): void {
    for (const { number } of this.adjustments) this.commands.delete(number);
    this.adjustments = [];
    const [open, answered] = [
      this.counts.filter(isOpenCount),
      this.counts.filter((one) => !isOpenCount(one)),
    ];
    for (const { number } of answered) this.commands.delete(number);
    this.counts = open;
  }

  #sent(line: number, fact: Extract<Fact, { sent: number }>, wrong: (text: string) => void): void {
    const told = 'again' in fact ? this.commands.get(fact.again) : this.#first(line, fact.sent, fact.command);
    if (!told) return wrong(`line ${line} sends a command again that was never sent`);
    this.totals.attempts += 1;
    const order = this.#orderOf(told.command);
    const known = order && {
      taken: order.taken !== null,
      possible: order.states.possible,
      status: order.states.furthest,
      line: order.status_line,
    };
    this.#attempts.set(fact.sent, { told, line, known: known ?? null });
    if (order && told.command.kind === 'report' && told.command.channel_id === order.command.channel_id)
      order.states.reportLeaves(told.command.status);
  }

  #first(line: number, number: number, command: Command): ToldCommand {
    const told: ToldCommand = { number, command, line, unknown: 0, outcome: null, outcome_line: 0 };
    this.commands.set(number, told);
    if (command.kind === 'order' && command.owner === undefined) {
      this.orders.set(command.order_number, newOrder(number, command, line));
    }
    const order = this.#orderOf(command);
    order?.commands.push(number);
    if (command.kind === 'report' && command.channel_id === order?.command.channel_id) {
      order.reported.set(command.status, line);
      order.last_report = number;
    }
    if (command.kind === 'adjust') this.adjustments.push(told as Told<AdjustCommand>);
    if (command.kind === 'count') this.counts.push(told as Told<CountCommand>);
    return told;
  }

  #orderOf(command: Command): ToldOrder | undefined {
    if (command.kind !== 'order' && command.kind !== 'report') return undefined;
    return this.orders.get(command.order_number);
  }

  #unknown(line: number, number: number, wrong: (text: string) => void): void {
    const attempt = this.#attempts.get(number);
    if (!attempt) return wrong(`line ${line} ends an attempt that was never sent`);
    this.#attempts.delete(number);
    const { told } = attempt;
    told.unknown += 1;
    this.totals.unknown += 1;
    const order = this.#orderOf(told.command);
    if (order?.command === told.command) order.unknown += 1;
  }

  #answered(line: number, number: number, outcome: Outcome, wrong: (text: string) => void): void {
    const attempt = this.#attempts.get(number);
    if (!attempt) return wrong(`line ${line} answers an attempt that was never sent`);
    this.#attempts.delete(number);
    const { told } = attempt;
    if (told.outcome === null) {
      this.totals.acknowledged[told.command.kind] += 1;
      if (told.unknown > 0) this.totals.settled += 1;
    }
    const { command } = told;
    const order = this.#orderOf(command);
    if (command.kind === 'order') judgeIntake(command, order, attempt, line, outcome, wrong);
    else if (command.kind === 'report') judgeReport(command, order, attempt, line, outcome, wrong);
    else if (outcome.kind === 'stale' && told.unknown === 0 && told.outcome === null) {
      wrong(`the count of line ${told.line} was answered as stale in line ${line}, and nobody else counts`);
    }
    told.outcome = outcome;
    told.outcome_line = line;
  }
}

const isDoubtful = ({ command, unknown, outcome }: ToldCommand): boolean =>
  unknown > 0 && command.kind !== 'adjust' && (outcome?.kind === 'refused' || outcome?.kind === 'short');

const isOpenCount = ({ outcome }: ToldCommand): boolean => outcome === null;

type Wrong = (text: string) => void;

function judgeIntake(
  command: OrderCommand,
  order: ToldOrder | undefined,
  { known }: Attempt,
  line: number,
  outcome: Outcome,
  wrong: Wrong,
): void {
  const number = command.order_number;
  if (command.owner !== undefined) {
    if (outcome.kind !== 'elsewhere')
      wrong(
        `order ${number} belongs to channel ${command.owner} (line ${order?.line}), yet channel ${command.channel_id} was answered "${outcome.kind}" in line ${line}`,
      );
    return;
  }
  if (!order || !known) return;
  const proof = `acknowledged in line ${order.taken?.line}`;
  if (outcome.kind === 'refused') {
    if (known.taken) wrong(`order ${number} was ${proof} and refused as new in line ${line}: it was lost`);
    return;
  }
  if (outcome.kind !== 'taken')
    return wrong(`order ${number} was answered "${outcome.kind}" in line ${line}`);
  if (outcome.created) {
    if (order.created_line !== null)
      wrong(`order ${number} was answered 201 twice, in lines ${order.created_line} and ${line}`);
    else if (known.taken) wrong(`order ${number} was ${proof} and taken as new in line ${line}: it was lost`);
    order.created_line = line;
  }
  const { id, created_at } = outcome;
  if (order.taken && (order.taken.id !== id || order.taken.created_at !== created_at))
    wrong(`order ${number} was ${proof} as another order than in line ${line}`);
  order.taken ??= { line, id, created_at };
  show(order, known, line, outcome.status, wrong, () => order.states.shows(outcome.status));
}

function judgeReport(
  command: ReportCommand,
  order: ToldOrder | undefined,
  { known, told }: Attempt,
  line: number,
  outcome: Outcome,
  wrong: Wrong,
): void {
  const number = command.order_number;
  if (!order || !known) return wrong(`line ${told.line} reports on order ${number}, which was never sent`);
  if (command.channel_id !== order.command.channel_id) {
    if (outcome.kind !== 'not_found')
      wrong(
        `order ${number} belongs to channel ${order.command.channel_id} (line ${order.line}), yet channel ${command.channel_id} was answered "${outcome.kind}" in line ${line}`,
      );
    return;
  }
  const arrive = (status: Status) => () => order.states.reportArrives(status);
  switch (outcome.kind) {
    case 'not_found':
      if (known.taken)
        wrong(
          `order ${number} was acknowledged in line ${order.taken?.line} and not found in line ${line}: it was lost`,
        );
      return order.states.reportArrives(null);
    case 'moved':
      if (outcome.status !== command.status)
        wrong(
          `order ${number} was reported ${command.status} and answered with ${outcome.status} in line ${line}`,
        );
      if (order.taken && order.taken.id !== outcome.id)
        wrong(
          `order ${number} has id ${order.taken.id} in line ${order.taken.line} and ${outcome.id} in line ${line}`,
        );
      order.reached.set(outcome.status, line);
      return show(order, known, line, outcome.status, wrong, arrive(outcome.status));
    case 'illegal':
      if (outcome.current === command.status || walk(outcome.current, command.status) !== null)
        wrong(
          `order ${number} was refused the legal move from ${outcome.current} to ${command.status} in line ${line}`,
        );
      return show(order, known, line, outcome.current, wrong, arrive(outcome.current));
    case 'short':
      if (command.status !== 3 || walk(outcome.current, command.status) === null)
        wrong(
          `order ${number} lacked stock for a move from ${outcome.current} to ${command.status} in line ${line}`,
        );
      return show(order, known, line, outcome.current, wrong, arrive(outcome.current));
    case 'taken':
    case 'refused':
    case 'elsewhere':
    case 'adjusted':
    case 'counted':
    case 'stale':
      return wrong(`the report on order ${number} was answered "${outcome.kind}" in line ${line}`);
  }
}

/** An answer shows a state that the order can have been in since its attempt left. */
function show(
  order: ToldOrder,
  known: NonNullable<Attempt['known']>,
  line: number,
  status: Status,
  wrong: Wrong,
  take: () => void,
): void {
  const { states, command } = order;
  if (!states.mayShow(known.possible, status))
    wrong(
      `order ${command.order_number} was in state ${states.furthest} in line ${order.status_line} (${known.status} in line ${known.line} when it was asked) and cannot be in ${status} in line ${line}`,
    );
  const before = states.furthest;
  take();
  if (states.furthest !== before) order.status_line = line;
}
