// The first round trip of a batch: reads everything `decide` needs in one pipeline.
import {
  allocationKey,
  skuKey,
  type Command,
  type IntakeCommand,
  type MappedVariant,
  type Order,
  type ReportCommand,
  type BatchState,
} from '../domain/commands.ts';
import { UNSIGNED, type AcceptedCredentials } from '../domain/credentials.ts';
import { missingLock, missingLocks, type LoadedRows, type RowRef } from '../domain/missing-locks.ts';
import { decimal, type Decimal } from '../domain/money.ts';
import type { Allocation, Stock } from '../domain/stock.ts';
import { movesStock } from '../domain/transitions.ts';
import { together, type Tx } from '../store/database.ts';
import { begin } from '../store/transactions.ts';
import {
  lockOrders,
  lockStock,
  readChannels,
  readClockAndIds,
  readCouriers,
  readMappings,
  readOrders,
  readSigningSecrets,
  type ChannelRow,
  type Locking,
  type MappingRow,
  type MaybeAllocation,
  type OrderLineRow,
  type OrderTargets,
  type SkuPairs,
} from '../store/gate-reads.ts';
import { holdCredentials } from '../store/held-credentials.ts';
import { findBatches } from '../store/journal.ts';

/**
 * Between the locks and the reads a SKU was remapped to an unlocked stock row, or an order appeared that a report
 * names: the batch must run again.
 */
export class StaleLocks extends Error {
  constructor() {
    super('the rows of the batch changed while it was locking them');
    this.name = 'StaleLocks';
  }
}

/** Only new orders need ids and the time. */
const NO_INTAKE = { now: new Date(0), order_ids: [] as number[] };

// Shared functions instead of closures on the hot path: see `Columns` in store/gate-writes.ts.
const isIntake = (command: Command): command is IntakeCommand => command.kind === 'intake';
const isReport = (command: Command): command is ReportCommand => command.kind === 'report';
const isMapped = (row: MappingRow): row is MappingRow & MappedVariant => row.variant_id !== null;
const numberOf = (intake: IntakeCommand): string => intake.order_number;
const reporterOf = ({ target, sender }: ReportCommand): readonly number[] =>
  sender && 'channel_id' in target ? [target.channel_id] : NONE;
const signerOf = (command: Command): readonly number[] => {
  if ((command.sender?.secret_id ?? UNSIGNED) === UNSIGNED) return NONE;
  return command.kind === 'intake' ? [command.channel_id] : reporterOf(command);
};
const NONE: readonly number[] = [];
const unique = (ids: readonly number[]): number[] => (ids.length < 2 ? [...ids] : [...new Set(ids)]);

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
  /** The transaction has already begun. */
  begun?: boolean;
}

const NONE_HELD: ReadonlyMap<Command, RowRef> = new Map();
const NO_ROLES: ReadonlyMap<string, string> = new Map();

export async function loadBatch(
  tx: Tx,
  commands: readonly Command[],
  { attempts = [], locking, begun = false }: LoadOptions,
): Promise<Loaded> {
  const intakes = commands.filter(isIntake);
  const reports = commands.filter(isReport);
  const pairs = skuPairs(intakes);
  const targets = orderTargets(reports);
  const moving = reports.filter((report) => movesStock(report.status));
  const numbers = [...intakes.map(numberOf), ...targets.order_numbers];
  const couriers = reports.flatMap((report) => report.courier_code ?? []);
  const credentials = reports.flatMap((report) => report.credential ?? []);
  const reporting = unique(reports.flatMap(reporterOf));
  const signing = unique(commands.flatMap(signerOf));

  // The order matters: lock orders by id, then stock by variant id; then read, so that the reads see what the locks
  // waited for.
  const [, locked, stock, committed, clock, pairRows, orders, courierRows, roles, channels, secrets] =
    await together([
      begun ? Promise.resolve(0) : begin(tx),
      reports.length > 0 ? lockOrders(tx, targets, locking) : Promise.resolve([]),
      intakes.length + moving.length > 0
        ? lockStock(tx, pairs, orderTargets(moving), locking)
        : Promise.resolve([]),
      attempts.length > 0 ? findBatches(tx, attempts) : Promise.resolve([]),
      intakes.length > 0 ? readClockAndIds(tx, intakes.length) : Promise.resolve(NO_INTAKE),
      intakes.length > 0 ? readMappings(tx, pairs) : Promise.resolve([]),
      readOrders(tx, numbers, targets.order_ids),
      couriers.length > 0 ? readCouriers(tx, couriers) : Promise.resolve([]),
      credentials.length > 0 ? holdCredentials(tx, credentials) : Promise.resolve(NO_ROLES),
      reporting.length > 0 ? readChannels(tx, reporting) : Promise.resolve([]),
      signing.length > 0 ? readSigningSecrets(tx, signing) : Promise.resolve([]),
    ]);

  const mappings = pairRows.filter(isMapped);
  const stockById = new Map<number, Stock>();
  for (const { variant_id, ...numbersOf } of stock) stockById.set(variant_id, numbersOf);
  const known = collectOrders(orders);
  const bySku = collectMappings(mappings);
  const found: LoadedRows = {
    mappings: bySku,
    orders: known,
    locked_orders: new Set(locked),
    locked_stock: stockById,
  };
  // After waiting, every existing row is locked; if a stock row is missing, `decide` throws.
  const isLocked = (report: ReportCommand): boolean => {
    const row = missingLock(report, found);
    return row === null || (locking === 'wait' && row.table === 'stock');
  };
  // The common case: everything is locked, and no order needs to be checked.
  const isComplete =
    mappings.every((row) => !row.has_stock || stockById.has(row.variant_id)) && reports.every(isLocked);
  if (!isComplete && locking === 'wait') throw new StaleLocks();
  let used = 0;
  return {
    committed,
    held: isComplete ? NONE_HELD : missingLocks(commands, found),
    state: {
      now: clock.now,
      stock: stockById,
      allocations: collectAllocations([...mappings, ...orders]),
      mappings: bySku,
      orders: known,
      accepted: collectAccepted([...pairRows, ...channels], secrets),
      roles,
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

/** Each (channel, SKU) once, so that a SKU in many orders is looked up once. */
function skuPairs(intakes: readonly IntakeCommand[]): SkuPairs {
  const pairs = new Map<string, { channel_id: number; sku: string }>();
  for (const { channel_id, lines } of intakes) {
    for (const { sku } of lines) pairs.set(skuKey(channel_id, sku), { channel_id, sku });
  }
  return {
    channel_ids: [...pairs.values()].map((pair) => pair.channel_id),
    skus: [...pairs.values()].map((pair) => pair.sku),
  };
}

function orderTargets(reports: readonly ReportCommand[]): OrderTargets {
  const targets: OrderTargets = { channel_ids: [], order_numbers: [], order_ids: [] };
  for (const { target } of reports) {
    if ('order_id' in target) {
      targets.order_ids.push(target.order_id);
    } else {
      targets.channel_ids.push(target.channel_id);
      targets.order_numbers.push(target.order_number);
    }
  }
  return targets;
}

type Mapped = MappingRow & MappedVariant;

function collectMappings(mappings: readonly Mapped[]): Map<string, Mapped> {
  const bySku = new Map<string, Mapped>();
  for (const row of mappings) bySku.set(skuKey(row.channel_id, row.sku), row);
  return bySku;
}

function collectMoney(pairRows: readonly MappingRow[]): Pick<BatchState, 'currencies' | 'rates'> {
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
  channels: readonly ChannelRow[],
  secrets: readonly { id: number; channel_id: number }[],
): Map<number, AcceptedCredentials> {
  const secretIds = new Map<number, Set<number>>();
  for (const { id, channel_id } of secrets)
    secretIds.set(channel_id, (secretIds.get(channel_id) ?? new Set()).add(id));
  const accepted = new Map<number, AcceptedCredentials>();
  for (const { channel_id, oldest_key_version, signing_mode } of channels) {
    if (accepted.has(channel_id)) continue;
    const secret_ids = secretIds.get(channel_id) ?? NO_SECRETS;
    accepted.set(channel_id, { oldest_key_version, signing_mode, secret_ids });
  }
  return accepted;
}

function collectAllocations(
  rowsWithAllocation: readonly ({ channel_id: number; variant_id: number } & MaybeAllocation)[],
): Map<string, Allocation> {
  const allocations = new Map<string, Allocation>();
  for (const row of rowsWithAllocation) {
    if (row.allocated_qty === null) continue;
    const { allocated_qty, reserve_quota, backordered_qty } = row;
    const key = allocationKey(row.channel_id, row.variant_id);
    allocations.set(key, { allocated_qty, reserve_quota, backordered_qty });
  }
  return allocations;
}

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
  return orders;
}
