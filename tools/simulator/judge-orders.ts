// POST /orders: 201 once, 200 ever after with the same order, 422 only for a reason.
import type { Status } from '../../verify/kit/order-states.ts';
import { amountsOf } from '../../verify/kit/model.ts';
import { said, type Answer, type Books, type Sent } from './books.ts';
import type { KnownOrder, OrderBody } from './orders.ts';
import { errorFault, orderFault, type OrderShown } from './shapes.ts';

/** What was known when the request left. */
interface Then {
  is_shown: boolean;
  possible: ReadonlySet<Status>;
}

/** Called as the request leaves; what it returns, as its answer arrives (null: none came). */
export function judgeOrder(books: Books, sent: Sent): (answer: Answer | null) => void {
  const order = books.order(sent.channel, sent.body as OrderBody);
  order.sent += 1;
  const then = { is_shown: order.shown !== null, possible: order.states.possible };
  return (answer) => {
    if (answer === null) order.lost += 1;
    else if (answer.status === 200 || answer.status === 201) taken(books, order, then, answer);
    else if (answer.status === 422) refused(books, order, then, answer);
    else books.broke(order.channel, `order ${order.body.order_number} was answered ${said(answer)}.`);
  };
}

function taken(books: Books, order: KnownOrder, then: Then, answer: Answer): void {
  const number = order.body.order_number;
  const broke = (words: string): void => books.broke(order.channel, `order ${number} ${words}.`);
  const fault = orderFault(answer.json);
  if (fault !== null) return broke(`was answered ${answer.status} in a wrong shape: ${fault}`);
  const { data } = answer.json as { data: OrderShown };

  if (answer.status === 201) {
    order.created += 1;
    if (order.created > 1) broke('was answered 201 twice, and only the first intake may be');
    if (data.status !== order.body.status)
      broke(`was sent with status ${order.body.status} and taken with ${data.status}`);
  } else {
    if (order.sent === 1) broke('was answered 200, as a resend, at its first intake');
    if (!order.states.mayShow(then.possible, data.status as Status, books.isAlone))
      broke(
        `shows status ${data.status} on a resend, and can only be in ${[...order.states.possible].join(' or ')}`,
      );
  }
  compare(books, order, data, broke);
  const isFirst = order.shown === null;
  if (isFirst) firstShown(books, order, data);
  order.states.shows(data.status as Status);
  const words = `${number} ${data.total_amount} KRW`;
  books.happened(order.channel, isFirst ? 'accepted' : 'resent', words, answer);
}

function firstShown(books: Books, order: KnownOrder, data: OrderShown): void {
  order.shown = data;
  const owner = books.takeId(data.id, data.order_number);
  if (owner !== undefined)
    books.broke(order.channel, `order ${data.order_number} has the id ${data.id} of order ${owner}.`);
  for (const sentence of books.stock?.accepted(order) ?? []) books.broke(order.channel, sentence);
}

/** Against what was sent, and against what was told before; status aside, nothing of an order ever changes. */
export function compare(
  books: Books,
  order: KnownOrder,
  data: OrderShown,
  broke: (words: string) => void,
): void {
  const { body, shown, channel } = order;
  if (data.order_number !== body.order_number) broke(`was answered with order ${data.order_number}`);
  if (shown) {
    if (data.id !== shown.id) broke(`had the id ${shown.id} and has ${data.id} now`);
    if (data.total_amount !== shown.total_amount)
      broke(`came to ${shown.total_amount} and comes to ${data.total_amount} now`);
    if (data.created_at !== shown.created_at)
      broke(`was of ${shown.created_at} and is of ${data.created_at} now`);
    if (JSON.stringify(data.items) !== JSON.stringify(shown.items)) broke('has other lines than before');
    return;
  }
  if (data.recipient_name !== body.recipient_name) broke('is for another recipient than was sent');
  const quantities = (items: readonly { quantity: number }[]): string =>
    items.map((line) => line.quantity).join(', ');
  if (quantities(data.items) !== quantities(body.items))
    return broke(
      `was sent with the quantities ${quantities(body.items)} and shows ${quantities(data.items)}`,
    );
  for (const [place, line] of data.items.entries()) {
    const known = books.sku(channel, body.items[place]?.sku ?? '');
    if (books.isAlone && known?.product_code !== line.product_code)
      broke(`shows the product ${line.product_code} in line ${place + 1}, and it is ${known?.product_code}`);
  }
  const { rate } = books.channel(channel);
  if (rate === null) return;
  const expected = amountsOf(body.items, Math.round(Number(rate) * 1_000_000));
  if (data.total_amount !== expected.total_amount)
    broke(`comes to ${data.total_amount}, and it is ${expected.total_amount} at the rate ${rate}`);
  const prices = data.items.map((line) => line.unit_price).join(', ');
  if (prices !== expected.unit_prices.join(', '))
    broke(`shows the prices ${prices}, and they are ${expected.unit_prices.join(', ')} at the rate ${rate}`);
}

function refused(books: Books, order: KnownOrder, then: Then, answer: Answer): void {
  const number = order.body.order_number;
  const broke = (words: string): void => books.broke(order.channel, `order ${number} ${words}.`);
  const fault = errorFault(answer.json);
  if (fault !== null)
    return broke(`is well formed and was refused in a wrong shape: ${fault}: ${answer.text.slice(0, 200)}`);
  const { error } = answer.json as { error: string };
  if (!order.body.items.some(({ sku }) => error.includes(sku)))
    broke(`was refused without naming a SKU: ${error}`);
  if (then.is_shown) broke(`had been accepted, and its resend was refused: ${error}`);
  const isMapped = order.body.items.every(({ sku }) => books.sku(order.channel, sku) !== undefined);
  if (isMapped && books.stock?.mustAccept(order))
    broke(`was refused while everything asked for was there: ${error}`);
  books.happened(order.channel, 'refused', `${number} ${error}`, answer);
}
