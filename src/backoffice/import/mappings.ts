// mappings.csv: channel SKU → internal variant, added or replaced by SKU.
import type { Tx } from '../../store/database.ts';
import { findMappings, findVariants, type FoundMapping, type FoundVariant } from '../../store/import.ts';
import { lockMappings, upsertMappings } from '../../store/mappings.ts';
import type { Actor } from '../changing.ts';
import { CODE_CHARACTERS_MAX } from '../../domain/text-limits.ts';
import { RowReader } from './fields.ts';
import { inChunks, lookUp, type Import, type Plan, type Progress } from './plan.ts';
import type { Problems } from './problems.ts';

export interface MappingLine {
  line: number;
  sku: string;
  variant_code: string;
}

interface MappingPlan extends Plan {
  /** In the order of the file. */
  readonly created: readonly MappingLine[];
  readonly replaced: readonly MappingLine[];
  readonly unchanged: number;
}

export interface MappingImport extends Import {
  plan(tx: Tx, problems: Problems, progress: Progress, by: Actor): Promise<MappingPlan>;
}

export function importMappings(channelId: number): MappingImport {
  const bySku = new Map<string, MappingLine>();
  /** Repeated identical rows are ignored. */
  let repeated = 0;
  return {
    what: 'mappings',
    channel_id: channelId,
    shape: { required: ['sku', 'variant_code'], optional: [] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const sku = reader.text('sku', CODE_CHARACTERS_MAX);
      const variant_code = reader.text('variant_code', CODE_CHARACTERS_MAX);
      if (!reader.ok) return;
      const earlier = bySku.get(sku);
      if (!earlier) bySku.set(sku, { line: row.line, sku, variant_code });
      else if (earlier.variant_code === variant_code) repeated += 1;
      else reader.fail({ kind: 'sku_repeated', column: 'sku', sku, first_line: earlier.line });
    },
    lock: (tx) => lockMappings(tx, channelId),
    plan: async (tx, problems, progress) => {
      const plan = await planMappings(tx, channelId, [...bySku.values()], problems, progress);
      return { ...plan, unchanged: plan.unchanged + repeated };
    },
  };
}

export async function planMappings(
  tx: Tx,
  channelId: number,
  list: readonly MappingLine[],
  problems: Problems,
  progress: Progress,
): Promise<MappingPlan> {
  const variants = await lookUp<FoundVariant>(
    [...new Set(list.map((row) => row.variant_code))],
    (codes) => findVariants(tx, codes),
    ({ code }) => code,
  );
  const stored = await lookUp<FoundMapping>(
    list.map((row) => row.sku),
    (skus) => findMappings(tx, channelId, skus),
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
