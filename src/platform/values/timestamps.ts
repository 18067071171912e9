// ISO 8601 with the offset of the configured zone (contract 2.4.11a): 2026-11-15T09:30:00+09:00.

/** UTC offsets change only at quarter hours, so Intl is called once per quarter hour. */
const QUARTER_MS = 15 * 60 * 1000;

export type FormatTimestamp = (at: Date) => string;

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function timestampFormat(zone: string): FormatTimestamp {
  const wallClock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const offsetAt = (ms: number): number => {
    const parts = wallClock.formatToParts(ms);
    const part = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
    return shown - Math.floor(ms / 60_000) * 60_000;
  };

  let quarter = Number.NaN;
  let offsetMs: number;
  let suffix: string;
  /** Orders of one batch have the same time. */
  let last = { ms: Number.NaN, text: '' };
  return (at) => {
    const ms = at.getTime();
    if (ms === last.ms) return last.text;
    if (Math.floor(ms / QUARTER_MS) !== quarter) {
      quarter = Math.floor(ms / QUARTER_MS);
      offsetMs = offsetAt(ms);
      suffix = offsetSuffix(offsetMs / 60_000);
    }
    last = { ms, text: new Date(ms + offsetMs).toISOString().slice(0, 19) + suffix };
    return last.text;
  };
}

function offsetSuffix(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const SYNTAX =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** Before 1970 some zones have offsets that are not whole minutes; after 9999 years have five digits. */
const YEAR_MIN = 1970;
const YEAR_MAX = 9998;

/** ISO 8601 with an offset, or null. Date.parse would accept 30 February as 2 March. */
export function readTimestamp(text: string): Date | null {
  const match = SYNTAX.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number);
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > lastDay) return null;
  return new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

/** Fields of facts that are times. Other fields can contain any text. */
const TIME_FIELD = /_(at|until)$/;

/** Facts contain times in UTC; responses show them in the configured zone. */
export function factsInZone<Facts extends object>(facts: Facts, format: FormatTimestamp): Facts {
  const times = Object.entries(facts).flatMap(([field, value]: [string, unknown]) => {
    const at = TIME_FIELD.test(field) && typeof value === 'string' ? readTimestamp(value) : null;
    return at === null ? [] : [[field, format(at)] as const];
  });
  return times.length === 0 ? facts : { ...facts, ...Object.fromEntries(times) };
}
