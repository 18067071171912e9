// The memory of a list's replaced pages, given back by hand as soon as nobody is being sent them. Left to the collector, a
// list that changes all the time kept 50 MB of them. Who does not say that it is done keeps what it holds, and no more.

/** Bytes that a list consists of in some of its versions. */
interface Replaced {
  bytes: Buffer;
  /** The first and the last version with these bytes. */
  first: number;
  last: number;
}

interface Holders {
  count: number;
  /** What waits for them, and then perhaps for others. */
  replaced: Replaced[];
}

export class PageMemory {
  #version = 0;
  /** By version, the oldest first. */
  readonly #holders = new Map<number, Holders>();

  get version(): number {
    return this.#version;
  }

  /** The bytes of the current version stay as they are until the returned function is called. */
  hold(): () => void {
    const version = this.#version;
    const holders = this.#holders.get(version) ?? { count: 0, replaced: [] };
    this.#holders.set(version, holders);
    holders.count += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holders.count -= 1;
      if (holders.count > 0) return;
      this.#holders.delete(version);
      for (const replaced of holders.replaced) this.#giveBack(replaced);
    };
  }

  /** The current version does without these bytes, which the list has had since the version `first`. */
  replace(bytes: Buffer, first: number): void {
    this.#giveBack({ bytes, first, last: this.#version - 1 });
  }

  /** What is replaced and held from here on belongs to a new version. */
  next(): void {
    this.#version += 1;
  }

  #giveBack(replaced: Replaced): void {
    const holders = this.#holdersOf(replaced);
    if (holders) holders.replaced.push(replaced);
    else free(replaced.bytes);
  }

  /** Anybody who holds a version with these bytes; there are only ever a few versions. */
  #holdersOf({ first, last }: Replaced): Holders | null {
    for (const [version, holders] of this.#holders) if (version >= first && version <= last) return holders;
    return null;
  }
}

/** Whoever looks at them now finds nothing, instead of what was written there next. */
function free({ buffer, byteLength }: Buffer): void {
  // Never the pool that small buffers share.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
