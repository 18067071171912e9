// Code lists by group. Couriers are the group DELIVERY_COMPANY.
import { rows, run, statement, type Tx } from './database.ts';

export interface CommonCode {
  code: string;
  name: string;
}

const LOCK = statement(
  'common_code_lock',
  'select code, name from common_code where code_group = $1 and code = $2 for update',
);

export const lockCommonCode = async (tx: Tx, group: string, code: string): Promise<CommonCode | undefined> =>
  (await rows<CommonCode>(tx, LOCK, [group, code]))[0];

const UPSERT = statement(
  'common_code_upsert',
  `insert into common_code (code_group, code, name) values ($1, $2, $3)
   on conflict (code_group, code) do update set name = excluded.name`,
);

export const upsertCommonCode = (tx: Tx, group: string, { code, name }: CommonCode): Promise<number> =>
  run(tx, UPSERT, [group, code, name]);

const DELETE = statement('common_code_delete', 'delete from common_code where code_group = $1 and code = $2');

export const deleteCommonCode = (tx: Tx, group: string, code: string): Promise<number> =>
  run(tx, DELETE, [group, code]);

const LIST = statement(
  'common_code_list',
  `select code, name from common_code
   where code_group = $1 and ($2::text is null or code > $2)
   order by code limit $3`,
);

export const listCommonCodes = (
  tx: Tx,
  group: string,
  after: string | null,
  limit: number,
): Promise<CommonCode[]> => rows(tx, LIST, [group, after, limit]);
