// products.csv: products with their variants, created or updated by code.
import type { Tx } from '../../platform/database/database.ts';
import {
  lookUpProducts,
  lookUpVariants,
  addProducts,
  addVariants,
  lockCatalogue,
  renameProducts,
  variantIdsOf,
  type FoundProduct,
  type FoundVariant,
} from './import-store.ts';
import { setPowers } from './store.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import {
  CODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { SimilarCodes, RowReader, SeenKeys } from '../../platform/csv/fields.ts';
import { inChunks, lookUp, type Applied, type Import, type Plan, type Progress } from '../imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import type { OfferedImport } from '../imports/offered.ts';

export interface ProductRow {
  line: number;
  product_code: string;
  product_name: string;
  variant_code: string;
  /** undefined: the file has no powers, so the stored ones are kept */
  power: string | null | undefined;
}

function importProducts(): Import {
  const list: ProductRow[] = [];
  const variants = new SeenKeys();
  const names = new Map<string, { name: string; line: number }>();
  const alike = { product_code: new SimilarCodes(), variant_code: new SimilarCodes() };
  return {
    what: 'products',
    shape: { required: ['product_code', 'product_name', 'variant_code'], optional: ['power'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const product = readProduct(reader, row);
      if (reader.ok) checkName(reader, names, product);
      if (reader.ok) {
        const { variant_code } = product;
        const first_line = variants.earlier(variant_code, row.line);
        if (first_line !== null) reader.fail({ kind: 'variant_code_repeated', variant_code, first_line });
      }
      if (!reader.ok) return;
      for (const column of ['product_code', 'variant_code'] as const)
        alike[column].check(problems, row.line, { column, value: product[column] });
      list.push(product);
    },
    lock: lockCatalogue,
    plan: (tx, problems, progress) => planProducts(tx, list, problems, progress),
  };
}

export const productsImport: OfferedImport = {
  name: 'products',
  command: {
    summary: 'create or update products and variants from a CSV file',
    about: [
      'Columns: product_code,product_name,variant_code[,power]. One row per variant; the rows of a product',
      'have the same name. Without the column power the stored powers are kept.',
    ],
    examples: ['sluice import products products.csv --dry-run', 'sluice import products products.csv'],
  },
  operation: {
    url: '/products/import',
    tag: 'products',
    role: 'operator',
    summary: 'Create or update products and variants from a CSV text, all or none',
    columns: 'product_code,product_name,variant_code[,power]',
  },
  make: importProducts,
};

const readProduct = (reader: RowReader, row: CsvRow): ProductRow => ({
  line: row.line,
  product_code: reader.text('product_code', CODE_CHARACTERS_MAX),
  product_name: reader.text('product_name', PRODUCT_NAME_CHARACTERS_MAX),
  variant_code: reader.text('variant_code', CODE_CHARACTERS_MAX),
  power: row.values['power'] === undefined ? undefined : reader.optional('power', POWER_CHARACTERS_MAX),
});

function checkName(
  reader: RowReader,
  names: Map<string, { name: string; line: number }>,
  { product_code, product_name, line }: ProductRow,
): void {
  const first = names.get(product_code);
  if (!first) names.set(product_code, { name: product_name, line });
  else if (first.name !== product_name) {
    const before = { first_name: first.name, first_line: first.line };
    reader.fail({ kind: 'product_name_differs', product_code, product_name, ...before });
  }
}

export async function planProducts(
  tx: Tx,
  list: readonly ProductRow[],
  problems: Problems,
  progress: Progress,
): Promise<Plan> {
  const names = new Map(list.map((row) => [row.product_code, row.product_name]));
  const products = await lookUp<FoundProduct>(
    [...names.keys()],
    (codes) => lookUpProducts(tx, codes),
    ({ code }) => code,
  );
  const variants = await lookUp<FoundVariant>(
    list.map((row) => row.variant_code),
    (codes) => lookUpVariants(tx, codes),
    ({ code }) => code,
  );
  for (const row of list) {
    const { line, variant_code, product_code } = row;
    const owner = variants.get(variant_code)?.product_code;
    if (owner === undefined && products.get(product_code)?.is_archived === true)
      problems.add(line, { kind: 'product_archived', column: 'product_code', product_code });
    else if (owner !== undefined && owner !== product_code)
      problems.add(line, { kind: 'variant_of_other_product', variant_code, product_code: owner });
  }
  return planOf(changesOf(list, names, products, variants), list.length, progress);
}

interface CatalogueChanges {
  newProducts: { code: string; name: string }[];
  renamed: { id: number; name: string }[];
  newVariants: { product_code: string; code: string; power: string | null }[];
  powers: { id: number; power: string | null }[];
}

function changesOf(
  list: readonly ProductRow[],
  names: ReadonlyMap<string, string>,
  products: ReadonlyMap<string, FoundProduct>,
  variants: ReadonlyMap<string, FoundVariant>,
): CatalogueChanges {
  const changes: CatalogueChanges = { newProducts: [], renamed: [], newVariants: [], powers: [] };
  for (const [code, name] of names) {
    const found = products.get(code);
    if (!found) changes.newProducts.push({ code, name });
    else if (found.name !== name) changes.renamed.push({ id: found.id, name });
  }
  for (const { product_code, variant_code: code, power } of list) {
    const found = variants.get(code);
    if (!found) changes.newVariants.push({ product_code, code, power: power ?? null });
    else if (power !== undefined && found.power !== power) changes.powers.push({ id: found.id, power });
  }
  return changes;
}

function planOf(changes: CatalogueChanges, rows: number, progress: Progress): Plan {
  const { newProducts, renamed, newVariants, powers } = changes;
  const counts = {
    rows,
    products_created: newProducts.length,
    products_renamed: renamed.length,
    variants_created: newVariants.length,
    variants_updated: powers.length,
  };
  return {
    counts,
    changes: newProducts.length + renamed.length + newVariants.length + powers.length > 0,
    async apply(tx): Promise<Applied> {
      await inChunks(progress, newProducts, (chunk) => addProducts(tx, chunk));
      await inChunks(progress, renamed, (chunk) => renameProducts(tx, chunk));
      await inChunks(progress, newVariants, (chunk) => addVariants(tx, chunk));
      await inChunks(progress, powers, (chunk) => setPowers(tx, chunk));
      // Channels see a product's name, but neither powers nor unmapped variants.
      const ids = renamed.map(({ id }) => id);
      return { counts, variant_ids: ids.length > 0 ? await variantIdsOf(tx, ids) : [] };
    },
  };
}
