// Places where a lower storey lets a higher one in. They are filled while the service is assembled, before any request.

/** Functions that are called one after the other. Without any, a call costs the loop over nothing. */
export class Hook<Args extends readonly unknown[]> {
  readonly #takers: ((...args: Args) => void)[] = [];

  add(taker: (...args: Args) => void): void {
    this.#takers.push(taker);
  }

  call(...args: Args): void {
    for (const taker of this.#takers) taker(...args);
  }
}

/** Room for one value. */
export class Slot<T> {
  #value: T | null = null;

  take(value: T): void {
    if (this.#value !== null) throw new Error('the slot is taken');
    this.#value = value;
  }

  get value(): T | null {
    return this.#value;
  }
}
