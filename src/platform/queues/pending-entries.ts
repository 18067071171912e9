// Entries that wait for the next write, by key. Requests never wait for the write. The number of entries is limited, so
// that no client can fill the memory or the database.
import type { Tx } from '../database/database.ts';

interface PendingOptions<T> {
  entries_max: number;
  /** Limit for one channel between two writes, so that one channel cannot use up the room of the others. */
  channel_entries_max?: number;
  /** Merges an entry into an earlier one with the same key. */
  add: (to: T, more: T) => void;
  write: (tx: Tx, entries: readonly T[]) => Promise<unknown>;
  onDropped?: () => void;
}

/** The entries of one channel by key; an appended entry is its own key. */
type OfChannel<T> = Map<string | T, T>;

export class PendingEntries<T extends { channel_id: number }> {
  readonly #options: PendingOptions<T>;
  /**
   * Nested, because building a combined key would take longer than the rest of the work for an entry that is dropped.
   */
  #entries = new Map<number, OfChannel<T>>();
  #count = 0;

  constructor(options: PendingOptions<T>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** `make` is called only if the entry is used. */
  put(channelId: number, key: string | T, make: () => T): void {
    const ofChannel = this.#entries.get(channelId);
    const known = ofChannel?.get(key);
    if (known) this.#options.add(known, make());
    else if (this.#hasRoom(ofChannel)) this.#insert(channelId, key, make());
    else this.#options.onDropped?.();
  }

  /** Adds an entry that is never merged. */
  append(channelId: number, make: () => T): void {
    if (!this.#hasRoom(this.#entries.get(channelId))) return this.#options.onDropped?.();
    const entry = make();
    this.#insert(channelId, entry, entry);
  }

  #hasRoom(ofChannel: OfChannel<T> | undefined): boolean {
    const { entries_max, channel_entries_max = entries_max } = this.#options;
    return this.#count < entries_max && (ofChannel?.size ?? 0) < channel_entries_max;
  }

  #insert(channelId: number, key: string | T, entry: T): void {
    const ofChannel = this.#entries.get(channelId);
    if (ofChannel) ofChannel.set(key, entry);
    else this.#entries.set(channelId, new Map([[key, entry]]));
    this.#count += 1;
  }

  /** If `attempt` returns false, the entries are kept for a later write. */
  async flush(attempt: (write: (tx: Tx) => Promise<unknown>) => Promise<boolean>): Promise<void> {
    if (this.isEmpty) return;
    const written = this.#take();
    const entries = written.map(([, entry]) => entry);
    if (await attempt((tx) => this.#options.write(tx, entries))) return;
    for (const [key, entry] of [...written, ...this.#take()]) this.put(entry.channel_id, key, () => entry);
  }

  #take(): [string | T, T][] {
    const taken = [...this.#entries.values()].flatMap((ofChannel) => [...ofChannel]);
    this.#entries = new Map();
    this.#count = 0;
    return taken;
  }
}
