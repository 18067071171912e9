// POST /orders/{orderNumber}/status: only legal transitions, and 409 only with correct details.
import type { Knowledge } from './knowledge.ts';
import type { KnownOrder } from './known-order.ts';
import { compare, judgeForeign } from './orders.ts';
import { walk, type Status } from './order-states.ts';
import {
  saidBy,
  type Finding,
  type FindingKind,
  type ReadAnswer,
  type ServiceRequest,
  type Judge,
} from './requests.ts';
import { conflictFault, orderFault, type ConflictShown, type OrderShown } from './shapes.ts';

const KINDS: Record<Status, FindingKind> = {
  0: 'repeated',
  1: 'paid',
  2: 'preparing',
  9: 'preparing',
  3: 'shipped',
  88: 'cancelled',
};

export function judgeReport(
  knowledge: Knowledge,
  { channel, order_number, status: target }: Extract<ServiceRequest, { kind: 'report' }>,
): Judge {
  const order = knowledge.orders.get(order_number);
  if (!order) return () => ({ kind: 'not_found', words: order_number });
  const { states, reported } = order;
  const wasShown = order.shown !== null;
  // An order of another channel must look as if it did not exist.
  if (order.channel !== channel) return judgeForeign(knowledge, channel, order, 'report');
  const whenSent = states.possible;
  states.reportLeaves(target);
  if (target === 88 && !reported.has(target)) knowledge.stock?.cancelling(order);
  if (target === 3 && !reported.has(target)) knowledge.stock?.shipping(order);
  reported.add(target);
  return (answer) => {
    const report = { knowledge, order, whenSent, target, answer };
    if (answer.status === 200) return moved(report);
    if (answer.status === 409) return refused(report);
    states.reportArrives(null);
    return answer.status === 404 && !wasShown
      ? { kind: 'not_found', words: order_number }
      : addViolation(report, `was answered ${saidBy(answer)}`);
  };
}

interface Report {
  knowledge: Knowledge;
  order: KnownOrder;
  /** The states that were possible when the request was sent. */
  whenSent: ReadonlySet<Status>;
  target: Status;
  answer: ReadAnswer;
}

const addViolation = ({ knowledge, order, target }: Report, words: string): Finding =>
  knowledge.addViolation(
    order.channel,
    `the report ${target} on order ${order.body.order_number} ${words}.`,
    order,
  );

function moved(report: Report): Finding {
  const { knowledge, order, whenSent, target, answer } = report;
  const fault = orderFault(answer.json);
  if (fault !== null) return addViolation(report, `was answered 200 in a wrong shape: ${fault}`);
  const { data } = answer.json as { data: OrderShown };
  compare(knowledge, order, data);
  if (data.status !== target) addViolation(report, `was answered 200 with status ${data.status}`);
  if (!order.states.mayShow(whenSent, target, knowledge.isAlone))
    addViolation(
      report,
      `was accepted, but this transition is not allowed from ${[...whenSent].join(' or ')}`,
    );
  const isRepeat = order.reached.has(target) || (whenSent.size === 1 && whenSent.has(target));
  order.states.reportArrives(target);
  if (target === 3 && !order.reached.has(target)) {
    for (const sentence of knowledge.stock?.shipped(order) ?? [])
      knowledge.addViolation(order.channel, sentence, order);
  }
  order.reached.add(target);
  return { kind: isRepeat ? 'repeated' : KINDS[target], words: order.body.order_number };
}

function refused(report: Report): Finding {
  const { knowledge, order, whenSent, target, answer } = report;
  const fault = conflictFault(answer.json);
  if (fault !== null) return addViolation(report, `was answered 409 in a wrong shape: ${fault}`);
  const { code, current_status: current, requested_status } = answer.json as ConflictShown;
  if (requested_status !== target)
    addViolation(report, `was answered 409 for the report ${requested_status}`);
  if (!order.states.mayShow(whenSent, current, knowledge.isAlone))
    addViolation(
      report,
      `was answered 409 with the current status ${current}, but its status can only be ${[...order.states.possible].join(' or ')}`,
    );
  const isLegal = current === target || walk(current, target) !== null;
  if (code === 'invalid_transition' && isLegal)
    addViolation(
      report,
      `was answered 409 invalid_transition, although the transition is allowed from ${current}`,
    );
  if (code === 'insufficient_stock' && (target !== 3 || !isLegal))
    addViolation(
      report,
      `was answered 409 insufficient_stock, but from ${current} it is an invalid_transition`,
    );
  if (code === 'insufficient_stock' && isLegal && knowledge.stock?.mustShip(order))
    addViolation(report, 'was answered 409 insufficient_stock although there was enough stock');
  order.states.reportArrives(current);
  const kind = code === 'insufficient_stock' ? 'short' : 'too_late';
  return { kind, words: `${order.body.order_number} ${current} to ${target}` };
}
