// The memory of a list's replaced pages, released explicitly when no response is sending them. With garbage collection
// alone, a list that changes all the time retained 50 MB of them. A hold that is never released pins only its version.

/** Bytes that belong to a range of the list's versions. */
interface Replaced {
  bytes: Buffer;
  /** The first and last version with these bytes. */
  first: number;
  last: number;
}

interface Holders {
  count: number;
  /** Bytes to release after these holders, unless other versions still need them. */
  replaced: Replaced[];
}

export class PageMemory {
  #version = 0;
  /** Holders by version, oldest first. */
  readonly #holders = new Map<number, Holders>();

  get version(): number {
    return this.#version;
  }

  /** The bytes of the current version stay valid until the returned function is called. */
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
      for (const replaced of holders.replaced) this.#releaseWhenUnused(replaced);
    };
  }

  /** Removes bytes from the current version; `first` is the version that added them. */
  replace(bytes: Buffer, first: number): void {
    this.#releaseWhenUnused({ bytes, first, last: this.#version - 1 });
  }

  /** Starts a new version. */
  next(): void {
    this.#version += 1;
  }

  #releaseWhenUnused(replaced: Replaced): void {
    const holders = this.#holdersOf(replaced);
    if (holders) holders.replaced.push(replaced);
    else free(replaced.bytes);
  }

  /** The holders of any version with these bytes; there are only a few versions at a time. */
  #holdersOf({ first, last }: Replaced): Holders | null {
    for (const [version, holders] of this.#holders) if (version >= first && version <= last) return holders;
    return null;
  }
}

/** Detaches the buffer, so that a stale reader fails instead of reading reused memory. */
function free({ buffer, byteLength }: Buffer): void {
  // Small buffers share a pool, which must not be detached.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
