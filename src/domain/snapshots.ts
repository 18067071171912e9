// Snapshots of PostgreSQL as values: which transactions a reader has seen. `xmin:xmax:running`: everything below xmax has
// ended, but for those that were running.

export interface SeenTransactions {
  /** The first transaction that is not in it. */
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

/** null: not such a text. */
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

/** Without the transactions from `end` on. */
export const snapshotUpTo = ({ running }: SeenTransactions, end: number): SeenTransactions => ({
  end,
  running: running.filter((xid) => xid < end),
});

/** True: everything that the earlier one has seen, the later one has seen too. */
export const isSnapshotBefore = (earlier: SeenTransactions, later: SeenTransactions): boolean =>
  earlier.end <= later.end && later.running.every((xid) => !isSeen(xid, earlier));
