// Submits a command to the gate and links it to the span of its request.
import type { Span } from '../../platform/tracing/spans.ts';
import type { Command, Outcome } from '../rules/commands.ts';
import type { Gate } from './gate.ts';
import type { GateTraces } from './traces.ts';

/** What operations with commands for the gate get. */
export interface ToGate {
  readonly gate: Gate;
  /** undefined: nothing is traced. */
  readonly traces: GateTraces | undefined;
}

export function submit(
  { gate, traces }: ToGate,
  command: Command,
  { span }: { span: Span | null },
): Promise<Outcome> {
  if (traces && span) traces.submitted(command, span);
  return gate.submit(command);
}
