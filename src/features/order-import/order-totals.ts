// Totals and repeated rows of an order in a file. An export by an outer join writes every row twice; the order's own total
// shows it.
import { BASE_CURRENCY } from '../../core/rules/currency.ts';
import {
  convertedAmount,
  decimal,
  formatPlain,
  isWithin,
  ONE,
  plus,
  timesInteger,
  ZERO,
  type Decimal,
} from '../../platform/values/money.ts';
import type { OrderOfFile } from './order-rows.ts';
import type { Problems } from '../../platform/csv/problems.ts';

const CENT = decimal('0.01');
/** What one rounding may change: a cent, or one unit if the other service has whole amounts. */
const roundingOf = (given: string): Decimal => (/[.]\d*[1-9]/.test(given) ? CENT : ONE);

const sumOf = (order: OrderOfFile, priceOf: (line: OrderOfFile['lines'][number]) => string): Decimal =>
  order.lines.reduce((sum, line) => plus(sum, timesInteger(decimal(priceOf(line)), line.quantity)), ZERO);

export function checkTotals(order: OrderOfFile, currency: string, problems: Problems): void {
  const localSum = sumOf(order, ({ local_unit_price }) => local_unit_price);
  const units = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const { local_total_amount, total_amount } = order;
  const isLocalRight =
    local_total_amount !== null &&
    isWithin(
      decimal(local_total_amount),
      localSum,
      timesInteger(roundingOf(local_total_amount), order.lines.length),
    );
  const fail = (column: string, given: string, computed: string): void =>
    problems.doubt(order.line, { kind: 'total_contradicts', column, given, computed });
  if (local_total_amount !== null && !isLocalRight)
    fail('local_total_amount', local_total_amount, formatPlain(localSum));
  const rate = currency === BASE_CURRENCY ? '1' : order.exchange_rate;
  if (total_amount !== null && rate !== null) {
    const ofLine = (line: OrderOfFile['lines'][number]): string =>
      line.unit_price ?? convertedAmount(decimal(line.local_unit_price), decimal(rate));
    const converted = convertedAmount(localSum, decimal(rate));
    const tolerance = timesInteger(roundingOf(total_amount), units);
    // One service rounds the total, another each price.
    const isRight = [decimal(converted), sumOf(order, ofLine)].some((sum) =>
      isWithin(decimal(total_amount), sum, tolerance),
    );
    if (!isRight) fail('total_amount', total_amount, converted);
  }
  if (isLocalRight) return;
  for (const { line, first_line } of order.lines)
    if (first_line !== null)
      problems.doubt(line, { kind: 'row_doubled', order_number: order.order_number, first_line });
}
