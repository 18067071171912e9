// The memory of a list's replaced pages, released explicitly when no response is sending them. With garbage collection
// alone, a list that changes all the time retained 50 MB of them. A reader that never releases keeps only its version.

/** Bytes that belong to a range of the list's versions. */
interface Replaced {
  bytes: Buffer;
  /** The first and last version with these bytes. */
  first: number;
  last: number;
}

interface Readers {
  count: number;
  /** Bytes to release after these readers, unless other versions still need them. */
  replaced: Replaced[];
}

export class PageMemory {
  #version = 0;
  /** Readers by version, oldest first. */
  readonly #readers = new Map<number, Readers>();

  get version(): number {
    return this.#version;
  }

  /** The bytes of the current version stay valid until the returned function is called. */
  retain(): () => void {
    const version = this.#version;
    const readers = this.#readers.get(version) ?? { count: 0, replaced: [] };
    this.#readers.set(version, readers);
    readers.count += 1;
    let isRetained = true;
    return () => {
      if (!isRetained) return;
      isRetained = false;
      readers.count -= 1;
      if (readers.count > 0) return;
      this.#readers.delete(version);
      for (const replaced of readers.replaced) this.#releaseWhenUnused(replaced);
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
    const readers = this.#readersOf(replaced);
    if (readers) readers.replaced.push(replaced);
    else free(replaced.bytes);
  }

  /** The readers of any version with these bytes; there are only a few versions at a time. */
  #readersOf({ first, last }: Replaced): Readers | null {
    for (const [version, readers] of this.#readers) if (version >= first && version <= last) return readers;
    return null;
  }
}

/** Detaches the buffer, so that a stale reader fails instead of reading reused memory. */
function free({ buffer, byteLength }: Buffer): void {
  // Small buffers share a pool, which must not be detached.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
