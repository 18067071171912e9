// What changed for a channel since a moment, and what that moment is called, to every process.
import { rows, run, statement, type Tx } from './database.ts';
import { reachesBackTo, unseenIn, type Snapshot } from './journal.ts';

/** A moment of this database. */
export interface Moment {
  /** Ids of transactions mean the same within one era alone: see `journal_era`. */
  era: string;
  snapshot: Snapshot;
}

// Another database of the same server, a copy of this one, or one put back to an older state has another era.
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

/** Whatever is read after it shows all that the moment shows. */
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

// One statement: had the journal been trimmed between two, the second would not see that something is missing.
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

export interface Changes {
  /** Until when. */
  moment: Moment;
  /** Of all channels. */
  variant_ids: number[];
  /** Of the channel, whose mapping changed. */
  skus: string[];
}

/** null: the journal does not reach back to that moment, or cannot tell which mappings changed. */
export async function readChanges(tx: Tx, channelId: number, since: Moment): Promise<Changes | null> {
  const [found] = await rows<Moment & { is_told: boolean; variant_ids: number[]; skus: string[] }>(
    tx,
    READ_CHANGES,
    [since.snapshot, since.era, channelId],
  );
  if (!found?.is_told) return null;
  const { variant_ids, skus } = found;
  return { moment: shortened(found), variant_ids, skus };
}

/** Hundreds of transactions at once would make a name of several thousand characters. */
const SNAPSHOT_CHARACTERS_MAX = 400;

/** Shows less than it did, so that some changes are told twice. */
function shortened({ era, snapshot }: Moment): Moment {
  if (snapshot.length <= SNAPSHOT_CHARACTERS_MAX) return { era, snapshot };
  const [xmin = ''] = snapshot.split(':');
  return { era, snapshot: `${xmin}:${xmin}:` };
}

const MOMENT = /^([1-9]\d{0,18}):([1-9]\d{0,18}):((?:[1-9]\d{0,18}(?:,[1-9]\d{0,18})*)?)$/;

/** What PostgreSQL would take, for what comes from outside. */
export function isMoment({ era, snapshot }: Moment): boolean {
  const match = MOMENT.exec(snapshot);
  if (!match || !/^[0-9a-f]{32}$/.test(era) || snapshot.length > SNAPSHOT_CHARACTERS_MAX) return false;
  const [, xmin = '', xmax = '', running = ''] = match;
  const [low, high] = [BigInt(xmin), BigInt(xmax)];
  const ids = running === '' ? [] : running.split(',').map(BigInt);
  return low <= high && ids.every((id, index) => id >= low && id < high && id > (ids[index - 1] ?? low - 1n));
}
