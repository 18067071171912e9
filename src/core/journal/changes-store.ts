// Changes for a channel since a moment. Moments are valid in all processes of the same database.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { reachesBackTo, unseenIn } from './since-store.ts';
import { momentInShort, type Moment } from './snapshot-rules.ts';

// A copy of this database, another database of the server, and a database restored to an older state have different
// eras.
const ERA = `md5(concat_ws(' ', e.id, (select oid from pg_database where datname = current_database()),
                 extract(epoch from pg_postmaster_start_time())))`;

const BEGIN_ERA = statement(
  'journal_era_begin',
  'insert into journal_era default values on conflict do nothing',
);

const READ_MOMENT = statement(
  'journal_moment',
  `select ${ERA} as era, pg_current_snapshot()::text as snapshot from journal_era e`,
);

/** Reads the current moment. Every later read shows at least the same changes. */
export async function readMoment(tx: Tx): Promise<Moment> {
  const [moment] = await rows<Moment>(tx, READ_MOMENT);
  if (moment) return momentInShort(moment);
  await run(tx, BEGIN_ERA);
  return readMoment(tx);
}

const SINCE = `$1::pg_snapshot`;
const IS_KNOWN = `(${ERA} = $2 and ${reachesBackTo(SINCE)}
         and pg_snapshot_xmax(${SINCE}) <= pg_snapshot_xmax(pg_current_snapshot()))`;
const UNSEEN = unseenIn(SINCE);

// One statement: between two, the journal could be trimmed without being noticed.
const READ_CHANGES = statement(
  'journal_changes',
  `select ${ERA} as era, pg_current_snapshot()::text as snapshot,
     case when ${IS_KNOWN} then not exists (
       select from change_journal j where ${UNSEEN} and $3 = any(j.channel_ids) and j.skus is null
     ) else false end as is_told,
     case when ${IS_KNOWN} then array(
       select distinct v.id from change_journal j cross join unnest(j.variant_ids) as v (id) where ${UNSEEN}
     ) end as variant_ids,
     case when ${IS_KNOWN} then array(
       select distinct k.sku from change_journal j cross join unnest(j.skus) as k (sku)
       where ${UNSEEN} and $3 = any(j.channel_ids)
     ) end as skus
   from journal_era e cross join journal_trim t`,
);

export interface JournalChanges {
  /** The end of the changes. */
  moment: Moment;
  /** Changed variants, for all channels. */
  variant_ids: number[];
  /** SKUs of the channel whose mapping changed. */
  skus: string[];
}

/** null: the journal was trimmed beyond that moment, or does not name the changed mappings. */
export async function readChanges(tx: Tx, channelId: number, since: Moment): Promise<JournalChanges | null> {
  const [found] = await rows<Moment & { is_told: boolean; variant_ids: number[]; skus: string[] }>(
    tx,
    READ_CHANGES,
    [since.snapshot, since.era, channelId],
  );
  if (!found?.is_told) return null;
  const { variant_ids, skus } = found;
  return { moment: momentInShort(found), variant_ids, skus };
}
