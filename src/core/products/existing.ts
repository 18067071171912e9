// The variant that a path names, read from the database; if there is none, the request is refused with 404.
import type { Tx } from '../../platform/database/database.ts';
import { findVariant, type Variant } from './store.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';

export async function existingVariant(tx: Tx, variant_code: string): Promise<Variant> {
  const variant = await findVariant(tx, variant_code);
  if (!variant) throw refusalOf({ kind: 'variant_unknown', variant_code });
  return variant;
}
