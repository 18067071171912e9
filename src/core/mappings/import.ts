// mappings.csv: channel SKU → internal variant, added or replaced by SKU. For one channel, or with the channel in each row.
import type { Tx } from '../../platform/database/database.ts';
import {
  lookUpMappings,
  lookUpVariants,
  type FoundMapping,
  type FoundVariant,
} from '../products/import-store.ts';
import { findChannel } from '../channels/store.ts';
import { lockMappings, upsertMappings } from './store.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import {
  CHANNEL_COLUMNS,
  findChannelsOf,
  readChannelOfRow,
  type ChannelOfRow,
} from '../channels/channel-names.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import { SimilarCodes, RowReader } from '../../platform/csv/fields.ts';
import {
  inChunks,
  lookUp,
  type Applied,
  type Import,
  type TargetRefusal,
  type ImportTarget,
  type Plan,
  type Progress,
} from '../imports/plan.ts';
import { Problems, type CsvFact } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';
import { readId } from '../../platform/cli/ids.ts';

export interface MappingLine {
  line: number;
  sku: string;
  variant_code: string;
}

interface MappingPlan extends Plan {
  /** The channel is held, and mapping brings archived variants back: nothing is refused. */
  apply(tx: Tx): Promise<Applied>;
  /** In the order of the file. */
  readonly created: readonly MappingLine[];
  readonly replaced: readonly MappingLine[];
  readonly unchanged: number;
}

export interface MappingImport extends Import {
  readonly target: ImportTarget;
  plan(tx: Tx, problems: Problems, progress: Progress, by: Actor): Promise<MappingPlan>;
}

/** The rows of one channel, by SKU. Repeated identical rows are counted and ignored. */
class SkuRows {
  readonly #bySku = new Map<string, MappingLine>();
  repeated = 0;

  /** Returns the problem of the row, or null. */
  add(row: MappingLine): CsvFact | null {
    const { sku, variant_code } = row;
    const earlier = this.#bySku.get(sku);
    if (!earlier) this.#bySku.set(sku, row);
    else if (earlier.variant_code === variant_code) this.repeated += 1;
    else return { kind: 'sku_repeated', column: 'sku', sku, first_line: earlier.line };
    return null;
  }

  list(): MappingLine[] {
    return [...this.#bySku.values()];
  }
}

const readMapping = (reader: RowReader, { line }: CsvRow): MappingLine => ({
  line,
  sku: reader.text('sku', CODE_CHARACTERS_MAX),
  variant_code: reader.text('variant_code', CODE_CHARACTERS_MAX),
});

export function importMappings(channelId: number): MappingImport {
  const found = new SkuRows();
  const alike = new SimilarCodes();
  return {
    what: 'mappings',
    target: { subject: `channel:${channelId}`, refusal: (tx) => channelRefusal(tx, channelId) },
    shape: { required: ['sku', 'variant_code'], optional: [] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const mapping = readMapping(reader, row);
      if (!reader.ok) return;
      const problem = found.add(mapping);
      if (problem) problems.add(row.line, problem);
      alike.check(problems, row.line, { column: 'sku', value: mapping.sku });
    },
    lock: (tx) => lockMappings(tx, channelId),
    plan: async (tx, problems, progress) => {
      const plan = await planMappings(tx, channelId, found.list(), problems, progress);
      return { ...plan, unchanged: plan.unchanged + found.repeated };
    },
  };
}

async function channelRefusal(tx: Tx, channel_id: number): Promise<TargetRefusal | null> {
  const channel = await findChannel(tx, channel_id);
  if (!channel) return { kind: 'channel_unknown', channel_id };
  return channel.archived ? { kind: 'channel_archived', channel_id } : null;
}

/** A file with the channel in each row. */
function importMappingsOfChannels(): Import {
  const list: (MappingLine & ChannelOfRow)[] = [];
  const alike = new SimilarCodes();
  const byChannel = async (tx: Tx, problems: Problems): Promise<[number, SkuRows][]> => {
    const channelOf = await findChannelsOf(tx, list);
    const found = new Map<number, SkuRows>();
    for (const row of list) {
      const channel = channelOf(row, problems);
      if (!channel) continue;
      if (channel.archived) {
        problems.add(row.line, { kind: 'channel_archived', channel_id: channel.id });
        continue;
      }
      const skus = found.get(channel.id) ?? new SkuRows();
      found.set(channel.id, skus);
      const problem = skus.add(row);
      if (problem) problems.add(row.line, problem);
    }
    return [...found].toSorted(([a], [b]) => a - b);
  };
  return {
    what: 'mappings',
    shape: { required: ['sku', 'variant_code'], optional: CHANNEL_COLUMNS },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const mapping = { ...readChannelOfRow(reader), ...readMapping(reader, row) };
      if (!reader.ok) return;
      const { channel_id, channel, sku } = mapping;
      alike.check(problems, row.line, { column: 'sku', value: sku, scope: `${channel_id} ${channel}` });
      list.push(mapping);
    },
    async lock(tx) {
      // The plan reports the problems.
      for (const [channelId] of await byChannel(tx, new Problems())) await lockMappings(tx, channelId);
    },
    async plan(tx, problems, progress) {
      const plans: MappingPlan[] = [];
      for (const [channelId, skus] of await byChannel(tx, problems))
        plans.push(await planMappings(tx, channelId, skus.list(), problems, progress));
      const sum = (count: (plan: MappingPlan) => number): number =>
        plans.reduce((all, plan) => all + count(plan), 0);
      const counts = {
        rows: list.length,
        mappings_created: sum(({ created }) => created.length),
        mappings_replaced: sum(({ replaced }) => replaced.length),
      };
      return {
        counts,
        changes: plans.some(({ changes }) => changes),
        async apply() {
          const changed: number[] = [];
          for (const plan of plans.filter(({ changes }) => changes))
            changed.push(...((await plan.apply(tx)).channel_ids ?? []));
          return { counts, channel_ids: changed };
        },
      };
    },
  };
}

export const mappingsImport: OfferedImport = {
  name: 'mappings',
  command: {
    summary: 'map channel SKUs to variants from a CSV file',
    options: (common) => ({
      channel: { value: 'ID', help: 'the channel of all rows; see "sluice channel list"' },
      ...common,
    }),
    about: [
      'Columns: sku,variant_code, and without --channel also channel_id or channel (its name). SKUs that are not in the',
      'file stay unchanged.',
    ],
    examples: ['sluice import mappings mappings.csv', 'sluice import mappings web-shop.csv --channel 1'],
  },
  make(options) {
    const channel = options.text('channel');
    return channel === null ? importMappingsOfChannels() : importMappings(readId(channel, '--channel'));
  },
};

export async function planMappings(
  tx: Tx,
  channelId: number,
  list: readonly MappingLine[],
  problems: Problems,
  progress: Progress,
): Promise<MappingPlan> {
  const variants = await lookUp<FoundVariant>(
    [...new Set(list.map((row) => row.variant_code))],
    (codes) => lookUpVariants(tx, codes),
    ({ code }) => code,
  );
  const stored = await lookUp<FoundMapping>(
    list.map((row) => row.sku),
    (skus) => lookUpMappings(tx, channelId, skus),
    ({ sku }) => sku,
  );
  const created: MappingLine[] = [];
  const replaced: MappingLine[] = [];
  const changes: FoundMapping[] = [];
  let unchanged = 0;
  for (const row of list) {
    const { line, sku, variant_code } = row;
    const variant_id = variants.get(variant_code)?.id;
    const before = stored.get(sku)?.variant_id;
    if (variant_id === undefined) {
      problems.add(line, { kind: 'variant_unknown', column: 'variant_code', variant_code });
    } else if (before === variant_id) {
      unchanged += 1;
    } else {
      (before === undefined ? created : replaced).push(row);
      changes.push({ sku, variant_id });
    }
  }
  const counts = { rows: list.length, mappings_created: created.length, mappings_replaced: replaced.length };
  return {
    counts,
    created,
    replaced,
    unchanged,
    changes: changes.length > 0,
    async apply() {
      await inChunks(progress, changes, (chunk) => upsertMappings(tx, channelId, chunk));
      return { counts, channel_ids: [channelId], skus: changes.map(({ sku }) => sku) };
    },
  };
}
