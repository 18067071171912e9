// Code lists by group. Couriers are the group DELIVERY_COMPANY.
import { rows, run, statement, type Tx } from './database.ts';

export interface CommonCode {
  code: string;
  name: string;
  /** Where a courier shows a parcel. */
  tracking_url: string | null;
}

const LOCK = statement(
  'common_code_lock',
  'select code, name, tracking_url from common_code where code_group = $1 and code = $2 for update',
);

export const lockCommonCode = async (tx: Tx, group: string, code: string): Promise<CommonCode | undefined> =>
  (await rows<CommonCode>(tx, LOCK, [group, code]))[0];

const UPSERT = statement(
  'common_code_upsert',
  `insert into common_code (code_group, code, name, tracking_url) values ($1, $2, $3, $4)
   on conflict (code_group, code) do update set name = excluded.name, tracking_url = excluded.tracking_url`,
);

export const upsertCommonCode = (
  tx: Tx,
  group: string,
  { code, name, tracking_url }: CommonCode,
): Promise<number> => run(tx, UPSERT, [group, code, name, tracking_url]);

const DELETE = statement('common_code_delete', 'delete from common_code where code_group = $1 and code = $2');

export const deleteCommonCode = (tx: Tx, group: string, code: string): Promise<number> =>
  run(tx, DELETE, [group, code]);

const LIST = statement(
  'common_code_list',
  `select code, name, tracking_url from common_code
   where code_group = $1 and ($2::text is null or code > $2)
   order by code limit $3`,
);

export const listCommonCodes = (
  tx: Tx,
  group: string,
  after: string | null,
  limit: number,
): Promise<CommonCode[]> => rows(tx, LIST, [group, after, limit]);
