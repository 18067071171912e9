// Replaces `Date`, so that the clock of the process can differ from that of the database, as if the system clock had been
// set. Monotonic time (`performance`, timers) is unaffected, as with a real correction. Import it before other modules.
const RealDate = globalThis.Date;
let offset_ms = 0;

/** The time without the shift. Test and database run on one machine, so it is the database's. */
export const realNow = (): number => RealDate.now();

export function setClock(difference_ms: number): void {
  offset_ms = difference_ms;
}

/** For the rest of a test. */
export function shiftClock(t: { after: (restore: () => void) => void }, difference_ms: number): void {
  t.after(() => setClock(0));
  setClock(difference_ms);
}

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + offset_ms);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + offset_ms;
  }

  /** Also of dates that were made before, or by Node. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof RealDate;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
