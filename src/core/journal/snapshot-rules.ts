// Snapshots of PostgreSQL as values: which transactions a reader has seen. Every transaction below xmax has ended,
// except the running ones.

/** In PostgreSQL's text form, `xmin:xmax:running`. */
export type Snapshot = string;

/** A snapshot of this database. */
export interface Moment {
  /** Transaction ids are comparable only within one era; see `journal_era`. */
  era: string;
  snapshot: Snapshot;
}

/** Hundreds of concurrent transactions would make a snapshot of several thousand characters. */
const SNAPSHOT_CHARACTERS_MAX = 400;

/** A shorter snapshot that includes fewer transactions, so that some changes are reported twice. */
export function momentInShort({ era, snapshot }: Moment): Moment {
  if (snapshot.length <= SNAPSHOT_CHARACTERS_MAX) return { era, snapshot };
  const [xmin = ''] = snapshot.split(':');
  return { era, snapshot: `${xmin}:${xmin}:` };
}

const MOMENT = /^([1-9]\d{0,18}):([1-9]\d{0,18}):((?:[1-9]\d{0,18}(?:,[1-9]\d{0,18})*)?)$/;

/** Validates a moment from outside, before PostgreSQL parses it. */
export function isMoment({ era, snapshot }: Moment): boolean {
  const [, xmin, xmax, running] = MOMENT.exec(snapshot) ?? [];
  if (!xmin || !xmax || !/^[0-9a-f]{32}$/.test(era) || snapshot.length > SNAPSHOT_CHARACTERS_MAX)
    return false;
  return isAscending([...idsIn(running), xmax].map(BigInt), BigInt(xmin));
}

export interface SeenTransactions {
  /** The first transaction that the snapshot does not include. */
  end: number;
  /** Transactions below `end` that were running, in ascending order. */
  running: readonly number[];
}

/** The lowest id that PostgreSQL gives to a transaction. */
const FIRST_TRANSACTION = 3;
export const NOTHING_SEEN: SeenTransactions = { end: FIRST_TRANSACTION, running: [] };

const TEXT = /^(\d{1,16}):((?:\d{1,16}(?:,\d{1,16})*)?)$/;

/** `end:running`, shorter than PostgreSQL's text. */
export const snapshotText = ({ end, running }: SeenTransactions): string => `${end}:${running.join(',')}`;

/** null: the text is not a snapshot. */
export function parseSnapshot(text: string): SeenTransactions | null {
  const [, endText, runningText] = TEXT.exec(text) ?? [];
  const [running, end] = [idsIn(runningText).map(Number), Number(endText)];
  return Number.isSafeInteger(end) && isAscending([...running, end], FIRST_TRANSACTION)
    ? { end, running }
    : null;
}

const idsIn = (list = ''): string[] => (list === '' ? [] : list.split(','));
const isAscending = (ids: readonly (number | bigint)[], first: number | bigint): boolean =>
  ids.every((id, index) => id >= first && id > (ids[index - 1] ?? 0));

export const isSeen = (xid: number, { end, running }: SeenTransactions): boolean =>
  xid < end && !running.includes(xid);

/** The snapshot without the transactions from `end` on. */
export const snapshotUpTo = ({ running }: SeenTransactions, end: number): SeenTransactions => ({
  end,
  running: running.filter((xid) => xid < end),
});

/**
 * Running transactions that a snapshot lists at most. A token contains two snapshots in base64, and with hundreds of open
 * transactions it would be longer than a request may carry.
 */
export const SNAPSHOT_TRANSACTIONS_MAX = 150;

/** The longest prefix of the snapshot that lists no more running transactions. What it leaves out is seen later. */
export const snapshotInShort = (snapshot: SeenTransactions): SeenTransactions => {
  const end = snapshot.running[SNAPSHOT_TRANSACTIONS_MAX];
  return end === undefined ? snapshot : snapshotUpTo(snapshot, end);
};

/** True if `later` includes every transaction that `earlier` includes. */
export const isSnapshotBefore = (earlier: SeenTransactions, later: SeenTransactions): boolean =>
  earlier.end <= later.end && later.running.every((xid) => !isSeen(xid, earlier));
