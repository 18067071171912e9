// Changes for a channel since a moment. Moments are valid in all processes of the same database.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { reachesBackTo, unseenIn, type Snapshot } from './store.ts';

/** A snapshot of this database. */
export interface Moment {
  /** Transaction ids are comparable only within one era; see `journal_era`. */
  era: string;
  snapshot: Snapshot;
}

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
  if (moment) return shortened(moment);
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
  return { moment: shortened(found), variant_ids, skus };
}

/** Hundreds of concurrent transactions would make a snapshot of several thousand characters. */
const SNAPSHOT_CHARACTERS_MAX = 400;

/** A shorter snapshot that includes fewer transactions, so that some changes are reported twice. */
function shortened({ era, snapshot }: Moment): Moment {
  if (snapshot.length <= SNAPSHOT_CHARACTERS_MAX) return { era, snapshot };
  const [xmin = ''] = snapshot.split(':');
  return { era, snapshot: `${xmin}:${xmin}:` };
}

const MOMENT = /^([1-9]\d{0,18}):([1-9]\d{0,18}):((?:[1-9]\d{0,18}(?:,[1-9]\d{0,18})*)?)$/;

/** Validates a moment from outside, before PostgreSQL parses it. */
export function isMoment({ era, snapshot }: Moment): boolean {
  const match = MOMENT.exec(snapshot);
  if (!match || !/^[0-9a-f]{32}$/.test(era) || snapshot.length > SNAPSHOT_CHARACTERS_MAX) return false;
  const [, xmin = '', xmax = '', running = ''] = match;
  const [low, high] = [BigInt(xmin), BigInt(xmax)];
  const ids = running === '' ? [] : running.split(',').map(BigInt);
  return low <= high && ids.every((id, index) => id >= low && id < high && id > (ids[index - 1] ?? low - 1n));
}
