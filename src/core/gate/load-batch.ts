// The first round trip of a batch: reads everything `decide` needs in one pipeline.
import {
  allocationKey,
  skuKey,
  type Command,
  type IntakeCommand,
  type MappedVariant,
  type Order,
  type OrderItem,
  type ReportCommand,
  type BatchState,
} from '../rules/commands.ts';
import { limitsUnpaid } from '../rules/channel-limits.ts';
import type { Credential } from '../../platform/accounts/credential-rules.ts';
import { UNSIGNED, type AcceptedCredentials, type Sender } from '../rules/credentials.ts';
import { missingLock, missingLocks, type LoadedRows, type RowRef } from '../rules/missing-locks.ts';
import { decimal, type Decimal } from '../../platform/values/money.ts';
import type { Allocation, Stock } from '../rules/stock.ts';
import { movesStock, UNPAID } from '../rules/transitions.ts';
import { together, type Tx } from '../../platform/database/database.ts';
import { begin } from '../../platform/database/transactions.ts';
import {
  findStock,
  pinExpiries,
  lockOrders,
  lockStock,
  readClockAndIds,
  readCouriers,
  readMappings,
  readOrders,
  readSigningSecrets,
  readUnpaid,
  type ChannelRow,
  type InactiveChannelRow,
  type Locking,
  type ResolvedPair,
  type MaybeAllocation,
  type OrderLineRow,
  type OrderTargets,
  type SkuPairs,
  type UnpaidQuantity,
} from './reads-store.ts';
import { pinCredentials } from '../../platform/accounts/pinned-credentials-store.ts';
import { findBatches } from '../../platform/database/lost-commit.ts';

/**
 * The batch must run again: between the locks and the reads, a SKU was mapped to an unlocked stock row, or an order was
 * created that a report names.
 */
export class StaleLocks extends Error {
  constructor() {
    super('the rows of the batch changed while it was locking them');
    this.name = 'StaleLocks';
  }
}

/** Only new orders need ids and the time. */
const NO_INTAKE: { now: Date; order_ids: number[] } = { now: new Date(0), order_ids: [] };

const isMapped = (row: ResolvedPair): row is Mapped => row.variant_id !== null;

export interface Loaded {
  state: BatchState;
  /** Earlier attempts at this batch that were committed. */
  committed: string[];
  /**
   * Commands that cannot be decided, with the row that another transaction holds. Empty if the batch waits for its
   * locks.
   */
  held: ReadonlyMap<Command, RowRef>;
}

interface LoadOptions {
  /** Batch ids of attempts whose COMMIT got no response. */
  attempts?: readonly string[];
  locking: Locking;
  /** Begins the transaction; null: it has already begun. */
  open?: typeof begin | null;
}

const NONE_HELD: ReadonlyMap<Command, RowRef> = new Map();
const NO_ROLES: ReadonlyMap<string, string> = new Map();

export async function loadBatch(
  tx: Tx,
  commands: readonly Command[],
  { attempts = [], locking, open = begin }: LoadOptions,
): Promise<Loaded> {
  const needs = collectNeeds(commands);
  const { intake_count, reports, pairs, targets, moving, numbers, couriers, credentials, signers } = needs;

  // The order matters: lock orders by id, then stock by variant id, then read. The reads then see the changes that the
  // locks waited for.
  const [, locked, stock, committed, clock, pairRows, orders, courierRows, roles, secrets, expiries, unpaid] =
    await together([
      open ? open(tx) : Promise.resolve(0),
      reports.length > 0 ? lockOrders(tx, targets, locking) : Promise.resolve([]),
      intake_count > 0 || !isWithout(moving) ? lockStock(tx, pairs, moving, locking) : Promise.resolve([]),
      attempts.length > 0 ? findBatches(tx, attempts) : Promise.resolve([]),
      intake_count > 0 ? readClockAndIds(tx, intake_count) : Promise.resolve(NO_INTAKE),
      intake_count > 0 ? readMappings(tx, pairs) : Promise.resolve([]),
      readOrders(tx, numbers, targets.order_ids),
      couriers.length > 0 ? readCouriers(tx, couriers) : Promise.resolve([]),
      credentials.length > 0 ? pinCredentials(tx, credentials) : Promise.resolve(NO_ROLES),
      signers.length > 0 ? readSigningSecrets(tx, signers) : Promise.resolve([]),
      needs.expiring.length > 0 ? pinExpiries(tx, needs.expiring) : Promise.resolve([]),
      needs.unpaid.skus.length > 0 ? readUnpaid(tx, needs.unpaid) : Promise.resolve([]),
    ]);

  const mappings = pairRows.filter(isMapped);
  const stockById = new Map<number, Stock>();
  for (const { variant_id, ...numbersOf } of stock) stockById.set(variant_id, numbersOf);
  const known = collectOrders(orders);
  const bySku = collectMappings(mappings);
  const unlocked = mappings.filter((row) => !stockById.has(row.variant_id)).map((row) => row.variant_id);
  const found: LoadedRows = {
    mappings: bySku,
    orders: known,
    locked_orders: new Set(locked),
    locked_stock: stockById,
    unlocked_stock: new Set(unlocked.length > 0 ? await findStock(tx, unlocked) : []),
  };
  // After waiting, every existing row is locked; if a stock row is missing, `decide` throws.
  const isLocked = (report: ReportCommand): boolean => {
    const row = missingLock(report, found);
    return row === null || (locking === 'wait' && row.table === 'stock');
  };
  // The common case: everything is locked, and no order needs to be checked.
  const isComplete = found.unlocked_stock.size === 0 && reports.every(isLocked);
  if (!isComplete && locking === 'wait') throw new StaleLocks();
  let used = 0;
  return {
    committed,
    held: isComplete ? NONE_HELD : missingLocks(commands, found),
    state: {
      now: clock.now,
      stock: stockById,
      allocations: collectAllocations(mappings, orders),
      unpaid: collectUnpaid(unpaid),
      mappings: bySku,
      orders: known,
      accepted: collectAccepted(pairRows, orders, secrets),
      roles,
      expiries: new Map(expiries.map((expiry) => [expiry.order_id, expiry])),
      ...collectMoney(pairRows),
      couriers: new Map(courierRows.map(({ code, name }) => [code, name])),
      nextOrderId: () => {
        const id = clock.order_ids[used++];
        if (id === undefined) throw new RangeError('more orders than reserved ids');
        return id;
      },
    },
  };
}

interface Needs {
  intake_count: number;
  reports: ReportCommand[];
  /** Each (channel, SKU) once: a SKU in many orders is looked up once. */
  pairs: SkuPairs;
  /** The SKUs of unpaid orders whose channel limits them. */
  unpaid: SkuPairs;
  /** Orders named by all reports. */
  targets: OrderTargets;
  /** Orders named by reports that move stock. */
  moving: OrderTargets;
  /** Order numbers of new orders and of reports by channels. */
  numbers: string[];
  couriers: string[];
  credentials: Credential[];
  /** Channels whose signing secrets are checked again. */
  signers: number[];
  /** Orders to cancel if they have expired. */
  expiring: number[];
}

/** One pass, without a closure or an array for each command: it runs for every order. */
function collectNeeds(commands: readonly Command[]): Needs {
  const needs: Needs = {
    intake_count: 0,
    reports: [],
    pairs: { channel_ids: [], skus: [] },
    unpaid: { channel_ids: [], skus: [] },
    targets: noTargets(),
    moving: noTargets(),
    numbers: [],
    couriers: [],
    credentials: [],
    signers: [],
    expiring: [],
  };
  const seen = new Set<string>();
  for (const command of commands) {
    if (command.kind === 'intake') collectIntake(command, needs, seen);
    else collectReport(command, needs);
  }
  return needs;
}

function collectIntake(
  { channel_id, order_number, status, lines, sender, limits }: IntakeCommand,
  needs: Needs,
  seen: Set<string>,
): void {
  needs.intake_count += 1;
  needs.numbers.push(order_number);
  for (const { sku } of lines) {
    const key = skuKey(channel_id, sku);
    if (seen.has(key)) continue;
    seen.add(key);
    needs.pairs.channel_ids.push(channel_id);
    needs.pairs.skus.push(sku);
  }
  if (status === UNPAID && limitsUnpaid(limits))
    for (const { sku } of lines) {
      needs.unpaid.channel_ids.push(channel_id);
      needs.unpaid.skus.push(sku);
    }
  collectSigner(channel_id, sender, needs.signers);
}

function collectReport(report: ReportCommand, needs: Needs): void {
  const { target, status, courier_code, credential, sender } = report;
  needs.reports.push(report);
  collectTarget(target, needs.targets);
  if (movesStock(status)) collectTarget(target, needs.moving);
  if (courier_code !== null) needs.couriers.push(courier_code);
  if (credential) needs.credentials.push(credential);
  if ('order_id' in target) {
    if (report.expires === true) needs.expiring.push(target.order_id);
    return;
  }
  needs.numbers.push(target.order_number);
  collectSigner(target.channel_id, sender, needs.signers);
}

function collectSigner(channelId: number, sender: Sender | undefined, signers: number[]): void {
  if (sender && sender.secret_id !== UNSIGNED && !signers.includes(channelId)) signers.push(channelId);
}

const noTargets = (): OrderTargets => ({ channel_ids: [], order_numbers: [], order_ids: [] });
const isWithout = ({ order_numbers, order_ids }: OrderTargets): boolean =>
  order_numbers.length + order_ids.length === 0;

function collectTarget(target: ReportCommand['target'], targets: OrderTargets): void {
  if ('order_id' in target) {
    targets.order_ids.push(target.order_id);
  } else {
    if (!targets.channel_ids.includes(target.channel_id)) targets.channel_ids.push(target.channel_id);
    targets.order_numbers.push(target.order_number);
  }
}

type Mapped = ResolvedPair & MappedVariant;

function collectMappings(mappings: readonly Mapped[]): Map<string, Mapped> {
  const bySku = new Map<string, Mapped>();
  for (const row of mappings) bySku.set(skuKey(row.channel_id, row.sku), row);
  return bySku;
}

function collectMoney(pairRows: readonly ResolvedPair[]): Pick<BatchState, 'currencies' | 'rates'> {
  const currencies = new Map<number, string>();
  const rates = new Map<string, Decimal>();
  for (const { channel_id, currency_code, rate } of pairRows) {
    currencies.set(channel_id, currency_code);
    if (rate !== null) rates.set(currency_code, decimal(rate));
  }
  return { currencies, rates };
}

const NO_SECRETS: ReadonlySet<number> = new Set();

function collectAccepted(
  pairRows: readonly ChannelRow[],
  orders: readonly (ChannelRow | InactiveChannelRow)[],
  secrets: readonly { id: number; channel_id: number }[],
): Map<number, AcceptedCredentials> {
  const secretIds = new Map<number, Set<number>>();
  for (const { id, channel_id } of secrets)
    secretIds.set(channel_id, (secretIds.get(channel_id) ?? new Set()).add(id));
  const accepted = new Map<number, AcceptedCredentials>();
  const collect = (row: ChannelRow | InactiveChannelRow): void => {
    const { channel_id, oldest_key_version, signing_mode } = row;
    if (oldest_key_version === null || accepted.has(channel_id)) return;
    const secret_ids = secretIds.get(channel_id) ?? NO_SECRETS;
    accepted.set(channel_id, { oldest_key_version, signing_mode, secret_ids });
  };
  for (const row of pairRows) collect(row);
  for (const row of orders) collect(row);
  return accepted;
}

type WithAllocation = { channel_id: number; variant_id: number } & MaybeAllocation;

function collectAllocations(...lists: readonly (readonly WithAllocation[])[]): Map<string, Allocation> {
  const allocations = new Map<string, Allocation>();
  for (const list of lists) {
    for (const row of list) {
      if (row.allocated_qty === null) continue;
      const { allocated_qty, reserve_quota, backordered_qty } = row;
      const key = allocationKey(row.channel_id, row.variant_id);
      allocations.set(key, { allocated_qty, reserve_quota, backordered_qty });
    }
  }
  return allocations;
}

export const collectUnpaid = (rows: readonly UnpaidQuantity[]): Map<string, number> =>
  new Map(rows.map((row) => [allocationKey(row.channel_id, row.variant_id), row.quantity]));

const byLine = (a: OrderItem, b: OrderItem): number => a.line - b.line;

function collectOrders(lines: readonly OrderLineRow[]): Map<string, Order> {
  const orders = new Map<string, Order>();
  for (const row of lines) {
    let order = orders.get(row.order_number);
    if (!order) {
      order = {
        id: row.id,
        channel_id: row.channel_id,
        order_number: row.order_number,
        status: row.status,
        is_backorder: row.is_backorder,
        recipient_name: row.recipient_name,
        total_amount: row.total_amount,
        created_at: row.created_at,
        items: [],
      };
      orders.set(row.order_number, order);
    }
    order.items.push(row);
  }
  for (const { items } of orders.values()) items.sort(byLine);
  return orders;
}
