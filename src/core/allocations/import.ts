// allocations.csv: pre-allocations and backorder quotas, set under the locks of the stock rows, in parts.
import { allocationKey } from '../rules/commands.ts';
import { decideAllocation } from '../rules/stock-changes.ts';
import { NO_ALLOCATION, NO_STOCK_CHANGE, type Allocation, type Stock } from '../rules/stock.ts';
import { insertAllocationMovements, readAllocations, setReserveQuotas } from './store.ts';
import { pinChannels } from '../channels/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { addToAllocations, addToStock } from '../gate/deltas-store.ts';
import { chunks } from '../../platform/values/chunks.ts';
import { lookUpVariants, type FoundVariant } from '../products/import-store.ts';
import { pinVariants } from '../products/store.ts';
import { lockStockRows } from '../stock/store.ts';
import { isMore } from './changes.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import {
  CHANNEL_COLUMNS,
  findChannelsOf,
  readChannelOfRow,
  type ChannelOfRow,
} from '../channels/channel-names.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import { RowReader, SeenKeys } from '../../platform/csv/fields.ts';
import {
  applyAll,
  lookUp,
  partsOf,
  type Import,
  type PartRefusal,
  type Plan,
  type Progress,
} from '../imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';

interface AllocationLine extends ChannelOfRow {
  line: number;
  variant_code: string;
  allocated_qty: number;
  reserve_quota: number;
}

export function importAllocations(): Import {
  const list: AllocationLine[] = [];
  return {
    what: 'allocations',
    shape: { required: ['variant_code', 'allocated_qty', 'reserve_quota'], optional: CHANNEL_COLUMNS },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const line = readLine(reader, row);
      if (reader.ok) list.push(line);
    },
    lock: async () => {}, // stock rows, in order, by each part
    plan: (tx, problems, progress, by) => planAllocations(tx, list, { problems, progress, by }),
  };
}

export const allocationsImport: OfferedImport = {
  name: 'allocations',
  command: {
    summary: "set channels' pre-allocations and backorder quotas from a CSV file",
    about: [
      'Columns: channel_id or channel (its name),variant_code,allocated_qty,reserve_quota. SETS both: allocated_qty is',
      'what is left of the pre-allocation today. Variants need a stock row. Other allocations stay unchanged.',
    ],
    examples: ['sluice import allocations allocations.csv'],
  },
  make: importAllocations,
};

const readLine = (reader: RowReader, row: CsvRow): AllocationLine => ({
  line: row.line,
  ...readChannelOfRow(reader),
  variant_code: reader.text('variant_code', CODE_CHARACTERS_MAX),
  allocated_qty: reader.quantity('allocated_qty'),
  reserve_quota: reader.quantity('reserve_quota'),
});

interface WantedShare extends Pick<Allocation, 'allocated_qty' | 'reserve_quota'> {
  line: number;
  channel_id: number;
  /** The code, if the variant or its product is archived. */
  archived_variant: string | null;
  archived: boolean;
  variant_id: number;
}

const keyOf = ({ channel_id, variant_id }: Pick<WantedShare, 'channel_id' | 'variant_id'>): string =>
  allocationKey(channel_id, variant_id);

async function planAllocations(
  tx: Tx,
  list: readonly AllocationLine[],
  { problems, progress, by }: { problems: Problems; progress: Progress; by: Actor },
): Promise<Plan> {
  const wanted = await resolve(tx, list, problems);
  const planned = await changesFrom(tx, wanted);
  for (const share of planned) {
    const given = givenToArchived(share);
    if (given) problems.add(share.line, given);
  }
  const parts = partsOf(
    wanted,
    async (own, shares) => {
      const pinned = await pinChannels(own, [...new Set(shares.map(({ channel_id }) => channel_id))]);
      const archived = new Set(pinned.flatMap((channel) => (channel.archived ? [channel.id] : [])));
      const variants = await pinVariants(own, [...new Set(shares.map(({ variant_id }) => variant_id))]);
      const codes = new Map(variants.map((one) => [one.id, one.is_archived ? one.code : null]));
      await lockStockRows(own, [...new Set(shares.map(({ variant_id }) => variant_id))]);
      // Read after locking: an order may have drawn on an allocation meanwhile.
      const changes = await changesFrom(own, shares);
      for (const share of changes) {
        const { channel_id, variant_id } = share;
        const archived_variant = codes.get(variant_id) ?? null;
        const given = givenToArchived({ ...share, archived: archived.has(channel_id), archived_variant });
        if (given) return given;
      }
      await write(own, changes, by);
      progress.advance('write', shares.length);
      return {
        counts: { rows: shares.length, allocations_set: changes.length },
        variant_ids: [...new Set(changes.map(({ variant_id }) => variant_id))],
        only_quantities: true,
      };
    },
    PART_ALLOCATIONS_MAX,
  );
  return {
    counts: { rows: list.length, allocations_set: planned.length },
    changes: planned.length > 0,
    parts: planned.length > 0 ? parts : [],
    apply: (own) => applyAll(own, parts, { rows: 0, allocations_set: 0 }),
  };
}

/** Fewer rows than elsewhere: each writes two with two foreign keys each, and takes several times as long. */
const PART_ALLOCATIONS_MAX = 100;

interface ChangedShare extends WantedShare {
  delta: number;
  before: Allocation | null;
}

function givenToArchived(share: ChangedShare): PartRefusal | null {
  const { channel_id, archived, archived_variant } = share;
  if (!isMore(share, share.before ?? NO_ALLOCATION)) return null;
  if (archived) return { kind: 'channel_archived', channel_id };
  return archived_variant === null ? null : { kind: 'variant_archived', variant_code: archived_variant };
}

async function changesFrom(tx: Tx, wanted: readonly WantedShare[]): Promise<ChangedShare[]> {
  const stored = new Map<string, Allocation>();
  for (const chunk of chunks(wanted))
    for (const row of await readAllocations(tx, chunk))
      stored.set(allocationKey(row.channel_id, row.variant_id), row);
  return wanted.flatMap((share) => {
    const before = stored.get(keyOf(share)) ?? null;
    const { delta } = decideAllocation(before, share);
    const isSame = delta === 0 && (before?.reserve_quota ?? 0) === share.reserve_quota;
    return isSame ? [] : [{ ...share, delta, before }];
  });
}

async function write(tx: Tx, changes: readonly ChangedShare[], by: Actor): Promise<void> {
  const stock = new Map<number, Stock>();
  for (const { variant_id, delta } of changes) {
    const sum = stock.get(variant_id)?.allocated ?? 0;
    stock.set(variant_id, { ...NO_STOCK_CHANGE, allocated: sum + delta });
  }
  await addToStock(tx, stock);
  const shares = changes.map((share) => ({ ...share, allocated_qty: share.delta, backordered_qty: 0 }));
  await addToAllocations(tx, shares);
  await setReserveQuotas(tx, changes);
  const movements = changes
    .filter(({ delta }) => delta !== 0)
    .map((share) => ({ ...share, allocated_after: share.allocated_qty }));
  await insertAllocationMovements(tx, movements, by.actor);
}

/** The rows that can be set; the others become problems. */
async function resolve(tx: Tx, list: readonly AllocationLine[], problems: Problems): Promise<WantedShare[]> {
  const channelOf = await findChannelsOf(tx, list);
  const variants = await lookUp<FoundVariant>(
    [...new Set(list.map((row) => row.variant_code))],
    (codes) => lookUpVariants(tx, codes),
    ({ code }) => code,
  );
  const seen = new SeenKeys();
  return list.flatMap((row) => {
    const { line, variant_code, allocated_qty, reserve_quota } = row;
    const channel = channelOf(row, problems);
    const variant = variants.get(variant_code);
    if (!variant) problems.add(line, { kind: 'variant_unknown', column: 'variant_code', variant_code });
    else if (variant.quantity === null) problems.add(line, { kind: 'stock_missing', variant_code });
    if (!channel || !variant || variant.quantity === null) return [];
    const { id: channel_id, archived } = channel;
    const share = {
      line,
      channel_id,
      archived,
      archived_variant: variant.is_archived ? variant_code : null,
      variant_id: variant.id,
      allocated_qty,
      reserve_quota,
    };
    const first_line = seen.earlier(keyOf(share), line);
    if (first_line === null) return [share];
    problems.add(line, { kind: 'allocation_repeated', channel_id: channel.id, variant_code, first_line });
    return [];
  });
}
