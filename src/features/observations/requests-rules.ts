// Which requests of channels are logged, and how their texts are shortened.
import type { FieldFault } from '../../platform/values/field-fault.ts';

/** Other requests are logged only while their channel is traced, as `served`. */
export const REQUEST_OUTCOMES = ['refused', 'slow', 'served'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** `waited_ms`: how long the client asked to wait for a change. */
export function requestOutcome(
  { status, ms, waited_ms }: { status: number; ms: number; waited_ms: number },
  slowMs: number,
): RequestOutcome {
  if (status >= 400) return 'refused';
  return ms >= slowMs + waited_ms ? 'slow' : 'served';
}

/** A trace ends automatically, so that it is not left on by mistake. */
export const TRACE_DAYS_MAX = 1;
const DAY_MS = 24 * 60 * 60 * 1000;

/** null: `until` is allowed as the end of a trace. */
export function traceFault(until: Date, now: Date): FieldFault | null {
  const ahead = until.getTime() - now.getTime();
  if (ahead > 0 && ahead <= TRACE_DAYS_MAX * DAY_MS) return null;
  return { kind: 'expiry_out_of_range', days_max: TRACE_DAYS_MAX };
}

/** Characters that a terminal or a browser would not show as they are: control, format, lone surrogates, line ends. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const escaped = (one: string): string => `\\u{${one.codePointAt(0)?.toString(16)}}`;

/** A client's text for the log or a mail: cut to `charactersMax`, with invisible characters escaped. */
export function plainText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax && PLAIN.test(text)) return text;
  // A character has at most two code units, so the rest of a longer text is not needed.
  const characters = Array.from(text.slice(0, 2 * charactersMax + 2));
  const kept = characters.slice(0, charactersMax).join('').replaceAll(INVISIBLE, escaped);
  return characters.length > charactersMax ? `${kept}…` : kept;
}
