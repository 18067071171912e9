// Entries that wait for the next write, by key, bounded in number: requests never wait for them, and no client can fill
// the memory or the database with them.
import type { Tx } from '../store/database.ts';

interface PendingOptions<T> {
  entries_max: number;
  /** Of one channel between two writes, so that one channel cannot use up the room of the others. */
  channel_entries_max?: number;
  /** Adds an entry of the same key to an earlier one. */
  add: (to: T, more: T) => void;
  write: (tx: Tx, entries: readonly T[]) => Promise<unknown>;
  onDropped?: () => void;
}

export class PendingEntries<T extends { channel_id: number }> {
  readonly #options: PendingOptions<T>;
  /** By key; an appended entry is its own key. */
  #entries = new Map<string | T, T>();
  #ofChannel = new Map<number, number>();

  constructor(options: PendingOptions<T>) {
    this.#options = options;
  }

  /** `make` is called only if the entry is used. */
  put(key: string | T, channelId: number, make: () => T): void {
    const known = this.#entries.get(key);
    if (known) this.#options.add(known, make());
    else if (this.#hasRoom(channelId)) this.#insert(key, make());
    else this.#options.onDropped?.();
  }

  /** An entry that is never added to another one. */
  append(channelId: number, make: () => T): void {
    if (!this.#hasRoom(channelId)) return this.#options.onDropped?.();
    const entry = make();
    this.#insert(entry, entry);
  }

  #hasRoom(channelId: number): boolean {
    const { entries_max, channel_entries_max = entries_max } = this.#options;
    return this.#entries.size < entries_max && (this.#ofChannel.get(channelId) ?? 0) < channel_entries_max;
  }

  #insert(key: string | T, entry: T): void {
    this.#entries.set(key, entry);
    this.#ofChannel.set(entry.channel_id, (this.#ofChannel.get(entry.channel_id) ?? 0) + 1);
  }

  /** `attempt` returns false if the write should be repeated later: the entries are kept then. */
  async flush(attempt: (write: (tx: Tx) => Promise<unknown>) => Promise<boolean>): Promise<void> {
    if (this.#entries.size === 0) return;
    const written = this.#entries;
    this.#entries = new Map();
    this.#ofChannel = new Map();
    if (await attempt((tx) => this.#options.write(tx, [...written.values()]))) return;
    const later = this.#entries;
    this.#entries = new Map();
    this.#ofChannel = new Map();
    for (const [key, entry] of [...written, ...later]) this.put(key, entry.channel_id, () => entry);
  }
}
