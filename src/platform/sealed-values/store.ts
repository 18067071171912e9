// Bulk access to sealed values.
import type { Sealed } from '../secrets/keys.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';

export interface StoredSeal extends Sealed {
  id: number;
  /** Id of the owner: a channel, a webhook, an account, or the row itself. */
  owner_id: number;
}

const columnsOf = ({ owner, sealed }: SealedColumn): string =>
  `id, ${owner} as owner_id, ${sealed} as key_sealed, sealed_with`;

const read = (column: SealedColumn) =>
  statement(
    `sealed_read_${column.name}`,
    `select ${columnsOf(column)} from ${column.table} where id > $1 and ${column.sealed} is not null order by id limit $2`,
  );

export const readSeals = (
  tx: Tx,
  column: SealedColumn,
  afterId: number,
  limit: number,
): Promise<StoredSeal[]> => rows(tx, read(column), [afterId, limit]);

const lockForeign = (column: SealedColumn) =>
  statement(
    `sealed_lock_foreign_${column.name}`,
    `select ${columnsOf(column)} from ${column.table}
     where id > $1 and ${column.sealed} is not null and sealed_with is distinct from $2 order by id limit $3 for update`,
  );

/** Locks values that are sealed with another secret than the given one. */
export const lockForeignSeals = (
  tx: Tx,
  column: SealedColumn,
  afterId: number,
  secretName: string,
  limit: number,
): Promise<StoredSeal[]> => rows(tx, lockForeign(column), [afterId, secretName, limit]);

const replace = ({ name, table, sealed }: SealedColumn) =>
  statement(
    `sealed_replace_${name}`,
    `update ${table} t set ${sealed} = d.key_sealed, sealed_with = d.sealed_with
     from unnest($1::int[], $2::bytea[], $3::text[]) as d (id, key_sealed, sealed_with)
     where t.id = d.id`,
  );

export const replaceSeals = (tx: Tx, column: SealedColumn, seals: readonly StoredSeal[]): Promise<number> =>
  run(tx, replace(column), [
    seals.map(({ id }) => id),
    seals.map(({ key_sealed }) => key_sealed),
    seals.map(({ sealed_with }) => sealed_with),
  ]);
