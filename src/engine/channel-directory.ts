// Key hash → active channel, kept in memory. Changes are announced by NOTIFY; while the listening connection
// is down, every request reads through to the database.
import { hashKey, type Sealer } from '../keys.ts';
import { readActiveChannels, type ActiveChannel, type ActiveChannels } from '../store/active-channels.ts';
import { CHANNELS_CHANGED } from '../store/channels.ts';
import { type ConnectionLimits } from '../store/connections.ts';
import { type Tx } from '../store/database.ts';
import { Listener } from '../store/listener.ts';
import { reading } from '../store/transactions.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';

/** Hashing a key for each request took as long as the rest of finding its channel; the usual ones are remembered. */
const RECENT_KEYS_MAX = 1_000;

/** While a previous key works: how long the database's clock is not asked at the most. Timers stop with the machine. */
const RECHECK_MS = 60_000;

/** Requests that wait for one read of all channels; while the database is away that takes as long as it is waited for. */
const LOAD_LIMITS: CoalescerLimits = {
  queue_items_max: 4_096,
  batch_items_max: 4_096,
  batch_weight_max: 4_096,
};

type ByKey = Map<string, ActiveChannel>;

export class ChannelDirectory {
  readonly #pool: Tx;
  readonly #sealer: Sealer;
  readonly #listener: Listener;
  /** null: not known to be current, read through */
  #channels: ByKey | null = null;
  readonly #recent = new Map<string, ActiveChannel>();
  /** One read at a time, and each request gets one that began after it arrived: a revoked key is refused at once. */
  readonly #loads = new Coalescer<string, ByKey>((keys) => this.#readAll(keys), LOAD_LIMITS);
  /** Counts changes, so that a load that began before one does not count as current. */
  #version = 0;
  /** Runs out when the first of the previous keys does. */
  #expiry: NodeJS.Timeout | undefined;
  /** Hashes of keys that were used before the last change. */
  #used = new Set<string>();
  /** Ids of signing secrets, the same way. */
  #usedSecrets = new Set<number>();

  constructor(url: string, pool: Tx, sealer: Sealer, limits?: ConnectionLimits) {
    this.#pool = pool;
    this.#sealer = sealer;
    this.#listener = new Listener(url, CHANNELS_CHANGED, () => this.invalidate(), limits);
  }

  open(): Promise<void> {
    return this.#listener.open();
  }

  close(): Promise<void> {
    clearTimeout(this.#expiry);
    return this.#listener.close();
  }

  /** The channel of a key that was used before; undefined says nothing about the key. */
  known(apiKey: string): ActiveChannel | undefined {
    const channel = this.#recent.get(apiKey);
    if (channel) channel.used = true;
    return channel;
  }

  /** The channel a key belongs to, or null: unknown, or inactive. At once while the directory is current. */
  find(apiKey: string): ActiveChannel | null | Promise<ActiveChannel | null> {
    const known = this.known(apiKey);
    if (known) return known;
    if (this.#channels) return this.#lookUp(apiKey, this.#channels);
    return this.#loads.submit(apiKey).then((channels) => this.#lookUp(apiKey, channels));
  }

  #lookUp(apiKey: string, channels: ByKey): ActiveChannel | null {
    const channel = channels.get(hashKey(apiKey).toString('base64')) ?? null;
    if (!channel) return null;
    channel.used = true;
    // Only while it is current, and only keys that are right: rubbish must not push them out.
    if (channels === this.#channels) {
      if (this.#recent.size >= RECENT_KEYS_MAX) this.#recent.clear();
      this.#recent.set(apiKey, channel);
    } else {
      this.#used.add(channel.key_hash);
    }
    return channel;
  }

  /** Called right after a change committed in this process, before it is answered. */
  invalidate(): void {
    this.#collectUsed();
    clearTimeout(this.#expiry);
    this.#version += 1;
    this.#recent.clear();
    this.#channels = null;
  }

  /** The hashes of the keys that were used since the last call. */
  takeUsed(): string[] {
    this.#collectUsed();
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  /** The ids of the signing secrets that were used since the last call. */
  takeUsedSecrets(): number[] {
    this.#collectUsed();
    const used = [...this.#usedSecrets];
    this.#usedSecrets.clear();
    return used;
  }

  #collectUsed(): void {
    for (const channel of this.#channels?.values() ?? []) {
      if (channel.used) this.#used.add(channel.key_hash);
      channel.used = false;
      for (const secret of channel.terms?.signing?.secrets ?? []) {
        if (secret.used) this.#usedSecrets.add(secret.id);
        secret.used = false;
      }
    }
  }

  async #readAll(keys: readonly string[]): Promise<Settled<ByKey>[]> {
    // A read that is repeated after an outage counts from its last attempt.
    let version = this.#version;
    const channels = await reading(this.#pool, (tx) => {
      version = this.#version;
      return readActiveChannels(tx, this.#sealer);
    });
    if (version === this.#version && this.#listener.isListening) this.#keep(channels);
    return keys.map(() => ({ result: channels.byKey }));
  }

  #keep({ byKey, valid_ms }: ActiveChannels): void {
    this.#channels = byKey;
    if (valid_ms === null) return;
    this.#expiry = setTimeout(() => this.invalidate(), Math.min(valid_ms, RECHECK_MS));
    this.#expiry.unref();
  }
}
