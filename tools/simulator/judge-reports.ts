// POST /orders/{orderNumber}/status: legal walks only, and a 409 that says what is true.
import { isStatus, walk, type Status } from '../../verify/kit/order-states.ts';
import { said, type Answer, type Books, type Kind, type Sent } from './books.ts';
import { compare } from './judge-orders.ts';
import type { KnownOrder } from './orders.ts';
import { conflictFault, orderFault, type ConflictShown, type OrderShown } from './shapes.ts';

const KINDS: Record<Status, Kind> = {
  0: 'repeated',
  1: 'paid',
  2: 'preparing',
  9: 'preparing',
  3: 'shipped',
  88: 'cancelled',
};

export function judgeReport(books: Books, sent: Sent, number: string): (answer: Answer | null) => void {
  const order = books.orders.get(number);
  const { status: target } = sent.body as { status: Status };
  if (!order) return () => {};
  const then = order.states.possible;
  order.states.reportLeaves(target);
  if (target === 88 && !order.is_cancelling) {
    books.stock?.cancelling(order);
    order.is_cancelling = true;
  }
  if (target === 3 && !order.is_shipping) {
    books.stock?.shipping(order);
    order.is_shipping = true;
  }
  return (answer) => {
    if (answer === null) {
      order.lost += 1;
      return;
    }
    const report = { books, order, then, target, answer };
    if (answer.status === 200) moved(report);
    else if (answer.status === 409) refused(report);
    else broke(report, `was answered ${said(answer)}`);
  };
}

interface Report {
  books: Books;
  order: KnownOrder;
  /** Which states were possible when it left. */
  then: ReadonlySet<Status>;
  target: Status;
  answer: Answer;
}

const broke = ({ books, order, target }: Report, words: string): void =>
  books.broke(order.channel, `the report ${target} on order ${order.body.order_number} ${words}.`);

function moved(report: Report): void {
  const { books, order, then, target, answer } = report;
  const fault = orderFault(answer.json);
  if (fault !== null) return broke(report, `was answered 200 in a wrong shape: ${fault}`);
  const { data } = answer.json as { data: OrderShown };
  compare(books, order, data, (words) => books.broke(order.channel, `order ${data.order_number} ${words}.`));
  if (data.status !== target) broke(report, `was answered 200 with status ${data.status}`);
  if (books.isAlone && !order.states.mayReach(then, target))
    broke(report, `was carried out, and no way leads there from ${[...then].join(' or ')}`);
  const isRepeat = order.reached.has(target) || (then.size === 1 && then.has(target));
  order.states.reportArrives(target);
  if (target === 3 && !order.reached.has(target)) {
    for (const sentence of books.stock?.shipped(order) ?? []) books.broke(order.channel, sentence);
  }
  order.reached.add(target);
  books.happened(order.channel, isRepeat ? 'repeated' : KINDS[target], order.body.order_number, answer);
}

function refused(report: Report): void {
  const { books, order, then, target, answer } = report;
  const fault = conflictFault(answer.json);
  if (fault !== null) return broke(report, `was answered 409 in a wrong shape: ${fault}`);
  const { code, current_status: current, requested_status } = answer.json as ConflictShown;
  if (requested_status !== target) broke(report, `was answered 409 for the report ${requested_status}`);
  if (!isStatus(current)) return;
  if (!order.states.mayShow(then, current, books.isAlone))
    broke(
      report,
      `was answered 409 with the current status ${current}, and it can only be in ${[...order.states.possible].join(' or ')}`,
    );
  const isLegal = current === target || walk(current, target) !== null;
  if (code === 'invalid_transition' && isLegal)
    broke(report, `was answered 409 invalid_transition, and a way leads there from ${current}`);
  if (code === 'insufficient_stock' && (target !== 3 || !isLegal))
    broke(report, `was answered 409 insufficient_stock, and from ${current} it is an invalid_transition`);
  if (code === 'insufficient_stock' && isLegal && books.stock?.mustShip(order))
    broke(report, 'was answered 409 insufficient_stock while everything to be shipped was there');
  order.states.reportArrives(current);
  const kind = code === 'insufficient_stock' ? 'short' : 'too_late';
  books.happened(order.channel, kind, `${order.body.order_number} ${current} to ${target}`, answer);
}
