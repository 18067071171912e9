// POST /orders: 201 once, then 200 with the same order, 422 only with a valid reason.
import { amountsOf } from '../kit/model.ts';
import type { Knowledge } from './knowledge.ts';
import type { KnownOrder } from './known-order.ts';
import type { Status } from './order-states.ts';
import { saidBy, type Finding, type OrderBody, type ReadAnswer, type Judge } from './requests.ts';
import { errorFault, orderFault, type OrderShown } from './shapes.ts';

/** What was known when the request was sent. */
interface AtSending {
  is_shown: boolean;
  possible: ReadonlySet<Status>;
}

export function judgeOrder(knowledge: Knowledge, channel: number, body: OrderBody): Judge {
  const order = knowledge.order(channel, body);
  // Contract 4.3.3: an order number of another channel is answered 500.
  if (order.channel !== channel) return judgeForeign(knowledge, channel, order, 'order');
  order.sent += 1;
  const whenSent = { is_shown: order.shown !== null, possible: order.states.possible };
  return (answer) => {
    if (answer.status === 200 || answer.status === 201) return taken(knowledge, order, whenSent, answer);
    if (answer.status === 422) return refused(knowledge, order, whenSent, answer);
    return knowledge.addOrderViolation(order, `was answered ${saidBy(answer)}`);
  };
}

const FOREIGN = {
  order: { status: 500, kind: 'elsewhere', what: 'was' },
  report: { status: 404, kind: 'not_found', what: 'a report on it was' },
} as const;

/** A request with the number of an order of another channel. */
export function judgeForeign(
  knowledge: Knowledge,
  channel: number,
  order: KnownOrder,
  request: keyof typeof FOREIGN,
): Judge {
  const wasShown = order.shown !== null;
  const words = order.body.order_number;
  const { status, kind, what } = FOREIGN[request];
  return (answer) => {
    if (!wasShown || (answer.status === status && errorFault(answer.json) === null)) return { kind, words };
    const owner = knowledge.channel(order.channel).name;
    return knowledge.addViolation(
      channel,
      `order ${words} belongs to ${owner}, yet ${what} answered ${saidBy(answer)}.`,
      order,
    );
  };
}

function taken(knowledge: Knowledge, order: KnownOrder, whenSent: AtSending, answer: ReadAnswer): Finding {
  const addViolation = (words: string): Finding => knowledge.addOrderViolation(order, words);
  const fault = orderFault(answer.json);
  if (fault !== null) return addViolation(`was answered ${answer.status} in a wrong shape: ${fault}`);
  const { data } = answer.json as { data: OrderShown };

  if (answer.status === 201) {
    order.created += 1;
    if (order.created > 1) addViolation('was answered 201 twice; only the first intake may be answered 201');
    else if (whenSent.is_shown)
      addViolation('had been accepted, but was accepted as new again: the first one was lost');
    if (data.status !== order.body.status)
      addViolation(`was sent with status ${order.body.status} and accepted with ${data.status}`);
  } else {
    if (order.sent === 1) addViolation('was answered 200, as a resend, at its first intake');
    if (!order.states.mayShow(whenSent.possible, data.status, knowledge.isAlone))
      addViolation(
        `shows status ${data.status} on a resend, but its status can only be ${[...order.states.possible].join(' or ')}`,
      );
  }
  compare(knowledge, order, data);
  const isFirst = order.shown === null;
  if (isFirst) firstShown(knowledge, order, data);
  order.states.shows(data.status);
  return {
    kind: isFirst ? 'accepted' : 'resent',
    words: `${order.body.order_number} ${data.total_amount} KRW`,
  };
}

function firstShown(knowledge: Knowledge, order: KnownOrder, data: OrderShown): void {
  order.shown = data;
  const owner = knowledge.takeId(data.id, data.order_number);
  if (owner !== undefined) knowledge.addOrderViolation(order, `has the id ${data.id} of order ${owner}`);
  for (const sentence of knowledge.stock?.accepted(order) ?? [])
    knowledge.addViolation(order.channel, sentence, order);
}

/** Compares with the request and with earlier answers; except the status, nothing of an order changes. */
export function compare(knowledge: Knowledge, order: KnownOrder, data: OrderShown): void {
  const { body, shown, channel } = order;
  const addViolation = (words: string): Finding => knowledge.addOrderViolation(order, words);
  if (data.order_number !== body.order_number) addViolation(`was answered with order ${data.order_number}`);
  if (shown) {
    if (data.id !== shown.id) addViolation(`changed its id from ${shown.id} to ${data.id}`);
    if (data.total_amount !== shown.total_amount)
      addViolation(`changed its total_amount from ${shown.total_amount} to ${data.total_amount}`);
    if (data.created_at !== shown.created_at)
      addViolation(`changed its created_at from ${shown.created_at} to ${data.created_at}`);
    if (JSON.stringify(data.items) !== JSON.stringify(shown.items))
      addViolation('has different lines than before');
    return;
  }
  if (data.recipient_name !== body.recipient_name) addViolation('has a different recipient than was sent');
  const quantities = (items: readonly { quantity: number }[]): string =>
    items.map((line) => line.quantity).join(', ');
  if (quantities(data.items) !== quantities(body.items)) {
    addViolation(
      `was sent with the quantities ${quantities(body.items)} and shows ${quantities(data.items)}`,
    );
    return;
  }
  for (const [place, line] of data.items.entries()) {
    const known = knowledge.sku(channel, body.items[place]?.sku ?? '');
    for (const name of ['product_code', 'product_name'] as const)
      if (knowledge.isAlone && known?.[name] !== line[name])
        addViolation(`shows the ${name} ${line[name]} in line ${place + 1} instead of ${known?.[name]}`);
  }
  const { rate } = knowledge.channel(channel);
  if (rate === null) return;
  const expected = amountsOf(body.items, Math.round(Number(rate) * 1_000_000));
  if (data.total_amount !== expected.total_amount)
    addViolation(
      `has total_amount ${data.total_amount} instead of ${expected.total_amount} at the rate ${rate}`,
    );
  const prices = data.items.map((line) => line.unit_price).join(', ');
  if (prices !== expected.unit_prices.join(', '))
    addViolation(
      `shows the prices ${prices} instead of ${expected.unit_prices.join(', ')} at the rate ${rate}`,
    );
}

function refused(knowledge: Knowledge, order: KnownOrder, whenSent: AtSending, answer: ReadAnswer): Finding {
  const addViolation = (words: string): Finding => knowledge.addOrderViolation(order, words);
  const fault = errorFault(answer.json);
  if (fault !== null)
    return addViolation(
      `is well formed and was refused in a wrong shape: ${fault}: ${answer.text.slice(0, 200)}`,
    );
  const { error } = answer.json as { error: string };
  if (!order.body.items.some(({ sku }) => error.includes(sku)))
    addViolation(`was refused without naming a SKU: ${error}`);
  if (whenSent.is_shown) addViolation(`had been accepted, but its resend was refused: ${error}`);
  const isMapped = order.body.items.every(({ sku }) => knowledge.sku(order.channel, sku) !== undefined);
  if (isMapped && knowledge.stock?.mustAccept(order))
    addViolation(`was refused although stock was sufficient: ${error}`);
  return { kind: 'refused', words: `${order.body.order_number} ${error}` };
}
