// A queue in which owners take turns: one item of each, in the order of arrival. An owner with many items delays its own
// items and those of other owners by one item each.

/** null: the items have no owner. They share one line, which may fill the whole queue. */
export type Owner = number | string | null;

/**
 * One owner may take up to twice the places that stay free: a single owner gets two thirds of the queue, two owners get
 * two fifths each, and so on. There is always room for a new owner.
 */
const TAKEN_PER_FREE_MAX = 2;

/** Whether an owner that holds `held` of the `taken` places may take another one. */
export function hasRoom(itemsMax: number, taken: number, owner: Owner, held: number): boolean {
  const free = itemsMax - taken - 1;
  if (free < 0 || owner === null || taken === 0) return free >= 0;
  return held < TAKEN_PER_FREE_MAX * free;
}

export class FairQueue<Item> {
  readonly #itemsMax: number;
  /** The first line is the next one. */
  readonly #lines = new Map<Owner, Item[]>();
  #length = 0;

  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= this.#itemsMax;
  }

  /** False: no room for another item of this owner. */
  push(owner: Owner, item: Item): boolean {
    const line = this.#lines.get(owner);
    if (!hasRoom(this.#itemsMax, this.#length, owner, line?.length ?? 0)) return false;
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    this.#length += 1;
    return true;
  }

  lengthOf(owner: Owner): number {
    return this.#lines.get(owner)?.length ?? 0;
  }

  /** Takes the next item if it is accepted. */
  shift(accepts: (item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, line] of this.#lines) {
      const [item] = line;
      if (item === undefined || !accepts(item)) return undefined;
      this.#take(owner, line);
      return item;
    }
    return undefined;
  }

  /** Takes the next item of the owners that are allowed to have one. */
  shiftOf(isAllowed: (owner: Owner) => boolean): Item | undefined {
    for (const [owner, line] of this.#lines) {
      if (!isAllowed(owner)) continue;
      const [item] = line;
      this.#take(owner, line);
      return item;
    }
    return undefined;
  }

  /** The owner goes to the end. */
  #take(owner: Owner, line: Item[]): void {
    line.shift();
    this.#length -= 1;
    if (this.#lines.size === 1 && line.length > 0) return;
    this.#lines.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
  }

  /** False: the item is no longer in the queue. */
  remove(owner: Owner, item: Item): boolean {
    const line = this.#lines.get(owner);
    const at = line?.indexOf(item) ?? -1;
    if (!line || at === -1) return false;
    line.splice(at, 1);
    this.#length -= 1;
    if (line.length === 0) this.#lines.delete(owner);
    return true;
  }
}
