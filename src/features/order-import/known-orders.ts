// Orders of the file that are stored already: equal in everything, or named with both values. With `--update` an open
// order follows the service that kept it meanwhile: status, shipment, cancellation and recipient are taken over.
import { decimal, formatPlain } from '../../platform/values/money.ts';
import { isUnshipped, pathBetween } from '../../core/rules/transitions.ts';
import type { NamedChannel } from '../../core/channels/store.ts';
import type { ImportedVariant, KnownItem, KnownOrder } from './store.ts';
import type { LineOfFile, OrderOfFile } from './order-rows.ts';
import type { Problems } from '../../platform/csv/problems.ts';

/** An order of the file with the channel, courier and variants that it names. */
export interface ResolvedOrder {
  order: OrderOfFile;
  channel: NamedChannel;
  courier_name: string | null;
  variants: ImportedVariant[];
}

export interface OrderUpdate {
  known: KnownOrder;
  order: OrderOfFile;
  courier_name: string | null;
}

interface Difference {
  line: number;
  column: string;
  stored: string;
  given: string;
}

/** An update takes these columns over. */
const MOVABLE = [
  'status',
  'tracking_number',
  'courier_code',
  'cancel_reason',
  'recipient_name',
  'recipient_phone',
  'shipping_address',
];
/**
 * In these two services may differ and both be right: each stores its own time, rate and draw. Those of an order that
 * Sluice has accepted itself stay, and those of every order in an update: the channel was told them.
 */
const KEPT = [
  'created_at',
  'exchange_rate',
  'local_total_amount',
  'total_amount',
  'unit_price',
  'from_allocation',
];

const PERSONAL = ['recipient_name', 'recipient_phone', 'shipping_address'];
const ERASED = [...PERSONAL, 'tracking_number', 'cancel_reason'];

const sameText = (a: string, b: string): boolean => a === b;
const sameNumber = (a: string, b: string): boolean =>
  formatPlain(decimal(a || '0')) === formatPlain(decimal(b || '0'));
/** A file with whole seconds says nothing about the fraction of a second. */
const sameTime = (a: string, b: string): boolean =>
  Math.abs(Date.parse(a) - Date.parse(b)) < (b.endsWith('.000Z') ? 1_000 : 1);

/** The update that the file wants, or null: the order is as in the file, or a problem is reported. */
export function orderUpdate(
  wanted: ResolvedOrder,
  known: KnownOrder,
  { columns, isUpdate, problems }: { columns: ReadonlySet<string>; isUpdate: boolean; problems: Problems },
): OrderUpdate | null {
  const { line, order_number, status } = wanted.order;
  if (known.channel_id !== wanted.channel.id) {
    const { channel_id } = known;
    problems.add(line, { kind: 'order_of_other_channel', column: 'order_number', order_number, channel_id });
    return null;
  }
  const found = differencesOf(wanted, known).filter(
    ({ column }) => columns.has(column) && !(known.is_erased && ERASED.includes(column)),
  );
  let isMoved = false;
  for (const { line: at, column, stored, given } of found) {
    const values = { column, order_number, stored, given };
    if (KEPT.includes(column) && (isUpdate || !known.is_imported))
      problems.warn(at, { kind: 'order_kept', ...values });
    else if (!isUpdate || !MOVABLE.includes(column))
      problems.add(at, {
        kind: 'order_differs',
        status: known.status,
        column,
        order_number,
        ...(PERSONAL.includes(column) ? {} : { stored, given }),
      });
    else if (given !== '') isMoved = true;
  }
  if (isUpdate && pathBetween(known.status, status) === null) {
    problems.add(line, {
      kind: 'order_cannot_move',
      column: 'status',
      order_number,
      from: known.status,
      to: status,
    });
    return null;
  }
  return isMoved ? { known, order: wanted.order, courier_name: wanted.courier_name } : null;
}

function differencesOf({ order, channel, variants }: ResolvedOrder, known: KnownOrder): Difference[] {
  const { line } = order;
  const found: Difference[] = [];
  const compare = (column: string, stored: string | null, given: string | null, same = sameText): void => {
    if (!same(stored ?? '', given ?? ''))
      found.push({ line, column, stored: stored ?? '', given: given ?? '' });
  };
  /** An amount that the file leaves out is not compared. */
  const compareAmount = (column: string, stored: string, given: string | null): void => {
    if (given !== null) compare(column, stored, given, sameNumber);
  };
  compare('status', String(known.status), String(order.status));
  compare('created_at', known.created_at.toISOString(), order.created_at.toISOString(), sameTime);
  for (const column of ['recipient_name', 'recipient_phone', 'shipping_address'] as const)
    compare(column, known[column], order[column]);
  for (const column of ['tracking_number', 'courier_code', 'cancel_reason'] as const)
    compare(column, known[column], order[column]);
  compare('is_backorder', String(known.is_backorder), String(order.is_backorder));
  compare(
    'local_currency_code',
    known.local_currency_code,
    order.local_currency_code ?? channel.currency_code,
  );
  for (const column of ['exchange_rate', 'local_total_amount', 'total_amount'] as const)
    compareAmount(column, known[column], order[column]);
  if (known.items.length !== order.lines.length)
    found.push({
      line,
      column: 'sku',
      stored: `${known.items.length} lines`,
      given: `${order.lines.length} lines`,
    });
  else
    for (const [index, item] of known.items.entries()) {
      const [row, variant] = [order.lines[index], variants[index]];
      if (row && variant)
        found.push(
          ...lineDifferences(item, row, variant, isUnshipped(order.status) && isUnshipped(known.status)),
        );
    }
  return found;
}

function lineDifferences(
  item: KnownItem,
  row: LineOfFile,
  variant: ImportedVariant,
  isOpen: boolean,
): Difference[] {
  const found: Difference[] = [];
  const compare = (column: string, stored: string, given: string, same = sameText): void => {
    if (!same(stored, given)) found.push({ line: row.line, column, stored, given });
  };
  compare('sku', item.sku, row.sku);
  // Also if the file has no codes: the SKU may be mapped to another item today.
  if (item.variant_id !== variant.variant_id)
    found.push({ line: row.line, column: 'sku', stored: item.variant_code, given: variant.variant_code });
  compare('quantity', String(item.quantity), String(row.quantity));
  compare('local_unit_price', item.local_unit_price, row.local_unit_price, sameNumber);
  if (row.unit_price !== null) compare('unit_price', item.unit_price, row.unit_price, sameNumber);
  if (isOpen) compare('from_allocation', String(item.from_allocation), String(row.from_allocation));
  return found;
}
