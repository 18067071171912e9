// Timestamps that operators send.

const SYNTAX =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** Before, offsets are not whole minutes in some zones; after, years have more digits than are shown. */
const YEAR_MIN = 1970;
const YEAR_MAX = 9998;

/** ISO 8601 with an offset, or null. The parser of the language would take 30 February for 2 March. */
export function readTimestamp(text: string): Date | null {
  const match = SYNTAX.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > lastDay) return null;
  return new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}
