// mappings.csv: which internal variant a channel's SKU is, added or replaced by SKU.
import type { Tx } from '../store/database.ts';
import { findMappings, findVariants, type FoundMapping, type FoundVariant } from '../store/import.ts';
import { lockMappings, upsertMappings } from '../store/mappings.ts';
import { CODE_CHARACTERS_MAX, RowReader, SeenKeys } from './fields.ts';
import { inChunks, lookUp, type Import, type Plan } from './import-plan.ts';
import { quoted, type Problems } from './problems.ts';
import type { Progress } from './progress.ts';

export interface MappingRow {
  line: number;
  sku: string;
  variant_code: string;
}

export function importMappings(channelId: number): Import {
  const list: MappingRow[] = [];
  const skus = new SeenKeys();
  return {
    shape: { required: ['sku', 'variant_code'], optional: [] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const sku = reader.text('sku', CODE_CHARACTERS_MAX);
      const variant_code = reader.text('variant_code', CODE_CHARACTERS_MAX);
      const earlier = reader.ok ? skus.earlier(sku, row.line) : null;
      if (earlier !== null) reader.fail(`sku ${quoted(sku)} is on line ${earlier} already.`);
      if (reader.ok) list.push({ line: row.line, sku, variant_code });
    },
    lock: (tx) => lockMappings(tx, channelId),
    plan: (tx, problems, progress) => planMappings(tx, channelId, list, problems, progress),
  };
}

export async function planMappings(
  tx: Tx,
  channelId: number,
  list: readonly MappingRow[],
  problems: Problems,
  progress: Progress,
): Promise<Plan> {
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
  const created: FoundMapping[] = [];
  const replaced: FoundMapping[] = [];
  for (const { line, sku, variant_code } of list) {
    const variant_id = variants.get(variant_code)?.id;
    const before = stored.get(sku)?.variant_id;
    if (variant_id === undefined) problems.add(line, `variant ${quoted(variant_code)} does not exist.`);
    else if (before === undefined) created.push({ sku, variant_id });
    else if (before !== variant_id) replaced.push({ sku, variant_id });
  }
  const counts = { rows: list.length, mappings_created: created.length, mappings_replaced: replaced.length };
  return {
    counts,
    changes: created.length + replaced.length > 0,
    async apply() {
      await inChunks(progress, [...created, ...replaced], (chunk) => upsertMappings(tx, channelId, chunk));
      return { counts, variant_ids: [], channel_ids: [channelId] };
    },
  };
}
