// Which requests of channels are logged.

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
