// Code lists by group. Couriers are the group DELIVERY_COMPANY.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface CommonCode {
  code: string;
  name: string;
  /** URL template of a courier's page for one parcel. */
  tracking_url: string | null;
  /** Other names, such as those that a courier uses in its own files. */
  aliases: string[];
}

// A row that does not exist yet cannot be locked. Reads continue.
const LOCK = statement('common_code_lock', 'lock table common_code in share row exclusive mode');

/** Prevents changes of codes until the transaction ends. */
export const lockCommonCodes = (tx: Tx): Promise<number> => run(tx, LOCK);

const FIND = statement(
  'common_code_find',
  'select code, name, tracking_url, aliases from common_code where code_group = $1 and code = $2',
);

export const findCommonCode = async (tx: Tx, group: string, code: string): Promise<CommonCode | undefined> =>
  (await rows<CommonCode>(tx, FIND, [group, code]))[0];

const UPSERT = statement(
  'common_code_upsert',
  `insert into common_code (code_group, code, name, tracking_url, aliases) values ($1, $2, $3, $4, $5)
   on conflict (code_group, code) do update set name = excluded.name, tracking_url = excluded.tracking_url,
     aliases = excluded.aliases`,
);

export const upsertCommonCode = (
  tx: Tx,
  group: string,
  { code, name, tracking_url, aliases }: CommonCode,
): Promise<number> => run(tx, UPSERT, [group, code, name, tracking_url, aliases]);

const DELETE = statement('common_code_delete', 'delete from common_code where code_group = $1 and code = $2');

export const deleteCommonCode = (tx: Tx, group: string, code: string): Promise<number> =>
  run(tx, DELETE, [group, code]);

const LIST = statement(
  'common_code_list',
  `select code, name, tracking_url, aliases from common_code
   where code_group = $1 and ($2::text is null or code > $2)
   order by code limit $3`,
);

export const listCommonCodes = (
  tx: Tx,
  group: string,
  after: string | null,
  limit: number,
): Promise<CommonCode[]> => rows(tx, LIST, [group, after, limit]);

const ALL = statement(
  'common_code_all',
  'select code, name, tracking_url, aliases from common_code where code_group = $1 order by code',
);

export const allCommonCodes = (tx: Tx, group: string): Promise<CommonCode[]> => rows(tx, ALL, [group]);

export interface GroupedCode extends CommonCode {
  code_group: string;
}

const FIND_OF_GROUPS = statement(
  'common_code_find_of_groups',
  'select code_group, code, name, tracking_url, aliases from common_code where code_group = any($1::text[])',
);

/** All codes of the groups. */
export const findCommonCodes = (tx: Tx, groups: readonly string[]): Promise<GroupedCode[]> =>
  rows(tx, FIND_OF_GROUPS, [groups]);

// Sorted, so that transactions that write the same codes lock in the same order and cannot deadlock.
const UPSERT_MANY = statement(
  'common_code_upsert_many',
  `insert into common_code (code_group, code, name, tracking_url, aliases)
   select d.code_group, d.code, d.name, d.tracking_url, array(select jsonb_array_elements_text(d.aliases))
   from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
     as d (code_group, code, name, tracking_url, aliases)
   order by d.code_group collate "C", d.code collate "C"
   on conflict (code_group, code) do update set name = excluded.name, tracking_url = excluded.tracking_url,
     aliases = excluded.aliases`,
);

export const upsertCommonCodes = (tx: Tx, codes: readonly GroupedCode[]): Promise<number> =>
  run(tx, UPSERT_MANY, [
    codes.map(({ code_group }) => code_group),
    codes.map(({ code }) => code),
    codes.map(({ name }) => name),
    codes.map(({ tracking_url }) => tracking_url),
    codes.map(({ aliases }) => JSON.stringify(aliases)),
  ]);
