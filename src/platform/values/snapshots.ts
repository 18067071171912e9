// Snapshots of PostgreSQL as values: which transactions a reader has seen. PostgreSQL writes them as
// `xmin:xmax:running`: every transaction below xmax has ended, except the running ones.

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
  const [, endText = '', runningText = ''] = TEXT.exec(text) ?? [];
  const end = Number(endText);
  const running = runningText === '' ? [] : runningText.split(',').map(Number);
  const isAscending = [...running, end].every(
    (id, index) => Number.isSafeInteger(id) && id > (running[index - 1] ?? FIRST_TRANSACTION - 1),
  );
  return endText !== '' && isAscending ? { end, running } : null;
}

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
