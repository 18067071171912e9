// Key hash → active channel, cached in memory. Changes are announced by NOTIFY; while the listening connection is down,
// every request reads from the database. A key that is not in the cache is also looked up in the database, because
// another process may have just created it.
import { keyTexts } from '../rules/api-key.ts';
import { hashKey, type Sealer } from '../../platform/secrets/keys.ts';
import { readActiveChannels, readKnownKeys, type ActiveChannel, type ActiveChannels } from './store.ts';
import { CHANNELS_CHANGED } from '../channels/store.ts';
import { type ConnectionLimits } from '../../platform/database/connections.ts';
import { type Tx } from '../../platform/database/database.ts';
import { Listener } from '../../platform/database/listener.ts';
import { reading } from '../../platform/database/transactions.ts';
import { Coalescer, type CoalescerLimits, type Settled } from '../../platform/queues/coalescer.ts';

/** Recent keys are cached with their channel: hashing the key took half of the lookup time. */
const RECENT_KEYS_MAX = 1_000;

/**
 * While a previous key is valid or a channel is traced: the longest time between two reads of the database's clock.
 * Needed because timers stop while the machine is suspended.
 */
const RECHECK_MS = 60_000;

/** Requests that wait for one read. */
const LOAD_LIMITS: CoalescerLimits = {
  queue_items_max: 4_096,
  batch_items_max: 4_096,
  batch_weight_max: 4_096,
};

/** `inactive`: the key of a channel that is inactive. null: unknown. */
export type FoundChannel = ActiveChannel | 'inactive' | null;

type ByKey = Map<string, ActiveChannel>;

const hashesOf = (apiKey: string): string[] =>
  keyTexts(apiKey).map((text) => hashKey(text).toString('base64'));

export class ChannelDirectory {
  readonly #pool: Tx;
  readonly #sealer: Sealer;
  readonly #listener: Listener;
  /** null: unknown or stale, read from the database */
  #channels: ByKey | null = null;
  readonly #recent = new Map<string, ActiveChannel>();
  /**
   * One read at a time. Each request gets a read that began after its arrival, so a revoked key is refused immediately.
   */
  readonly #loads = new Coalescer<string, ByKey>((keys) => this.#readAll(keys), LOAD_LIMITS);
  /** Whether the database has the key, and its channel is active; null: unknown. */
  readonly #checks = new Coalescer<string, boolean | null>((keys) => this.#checkNew(keys), LOAD_LIMITS);
  /** Counts changes: a read that began before a change is stale. */
  #version = 0;
  /** Fires when the first previous key expires or the first trace ends. */
  #expiry: NodeJS.Timeout | undefined;
  /** Hashes of keys used before the last change. */
  #used = new Set<string>();
  readonly #usedSecrets = new Set<number>();

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

  /** The channel of a recently used key. undefined: use `find`. */
  known(apiKey: string): ActiveChannel | undefined {
    const channel = this.#recent.get(apiKey);
    if (channel) channel.used = true;
    return channel;
  }

  /** The channel of a key; null: unknown to this process, or inactive. Synchronous while the cache is current. */
  find(apiKey: string): ActiveChannel | null | Promise<ActiveChannel | null> {
    const known = this.known(apiKey);
    if (known) return known;
    if (this.#channels) return this.#lookUp(apiKey, this.#channels);
    return this.#loads.submit(apiKey).then((channels) => this.#lookUp(apiKey, channels));
  }

  /** Like `find`, but reads the database, so that it also finds a key whose announcement has not arrived yet. */
  async findNew(apiKey: string): Promise<FoundChannel> {
    const isActive = await this.#checks.submit(apiKey);
    if (isActive === null) return null;
    return isActive ? this.find(apiKey) : 'inactive';
  }

  async #checkNew(keys: readonly string[]): Promise<Settled<boolean | null>[]> {
    const hashes = keys.map(hashesOf);
    const known = await reading(this.#pool, (tx) => readKnownKeys(tx, hashes.flat()));
    const isMissing = ([hash, isActive]: [string, boolean]) =>
      isActive && this.#channels?.has(hash) === false;
    if ([...known].some(isMissing)) this.invalidate();
    return hashes.map((own) => {
      const found = own.flatMap((hash) => known.get(hash) ?? []);
      return { result: found.length === 0 ? null : found.includes(true) };
    });
  }

  #lookUp(apiKey: string, channels: ByKey): ActiveChannel | null {
    const found = hashesOf(apiKey).map((hash) => channels.get(hash));
    const channel = found.find((one) => one !== undefined);
    if (!channel) return null;
    channel.used = true;
    // Only valid keys: invalid ones must not evict them.
    if (channels === this.#channels) {
      if (this.#recent.size >= RECENT_KEYS_MAX) this.#recent.clear();
      this.#recent.set(apiKey, channel);
    } else {
      this.#used.add(channel.key_hash);
    }
    return channel;
  }

  /** Called after a change committed in this process, before its response. */
  invalidate(): void {
    this.#discard();
    this.#version += 1;
  }

  /** The uses of keys are noted on the cached channels. */
  #discard(): void {
    this.#collectUsed();
    clearTimeout(this.#expiry);
    this.#recent.clear();
    this.#channels = null;
  }

  /** Hashes of the keys used since the last call. */
  takeUsed(): string[] {
    this.#collectUsed();
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  /** Takes back uses that could not be recorded. */
  stillUsed(hashes: readonly string[], secrets: readonly number[]): void {
    for (const hash of hashes) this.#used.add(hash);
    for (const id of secrets) this.#usedSecrets.add(id);
  }

  usedSecret(id: number): void {
    this.#usedSecrets.add(id);
  }

  /** Ids of the signing secrets used since the last call. */
  takeUsedSecrets(): number[] {
    const used = [...this.#usedSecrets];
    this.#usedSecrets.clear();
    return used;
  }

  #collectUsed(): void {
    for (const channel of this.#channels?.values() ?? []) {
      if (channel.used) this.#used.add(channel.key_hash);
      channel.used = false;
    }
  }

  async #readAll(keys: readonly string[]): Promise<Settled<ByKey>[]> {
    // Set again by a retry, so that a read counts from its last attempt.
    let version = this.#version;
    const channels = await reading(this.#pool, (tx) => {
      version = this.#version;
      return readActiveChannels(tx, this.#sealer);
    });
    if (version === this.#version && this.#listener.isListening) this.#keep(channels);
    return keys.map(() => ({ result: channels.byKey }));
  }

  /** Replaces what an earlier read has kept: reads of several requests can end one after the other. */
  #keep({ byKey, valid_ms }: ActiveChannels): void {
    this.#discard();
    this.#channels = byKey;
    if (valid_ms === null) return;
    this.#expiry = setTimeout(() => this.invalidate(), Math.min(valid_ms, RECHECK_MS));
    this.#expiry.unref();
  }
}
