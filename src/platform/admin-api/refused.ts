// Refusals of the back office are values: a kind and facts. The `refusals.ts` of a room declares its kinds, once: the
// facts, what HTTP answers, and what the command line prints, if a command can get it.
import type { FieldError } from '../values/field-fault.ts';

/** As in the request. An invalid id is also refused as unknown. */
export type Id = number | string;

export type RefusalStatus = 401 | 404 | 409 | 422;

/** With methods, because tables with answers for different facts are all a `RefusalTable`. */
interface AnyAnswer<Facts extends object> {
  /** The code on the wire, if it differs from the kind. */
  readonly code?: string;
  /** The details, if they differ from the facts. */
  details?(no: Facts): object;
}

interface Answer<Facts extends object> extends AnyAnswer<Facts> {
  readonly status: RefusalStatus;
  words(no: Facts): string;
}

/** Also for commands, which have words of their own. */
interface CommandAnswer<Facts extends object> extends Answer<Facts> {
  commandWords(no: Facts): string;
}

/** In the validation shape: the fields of the request that are refused, and why. */
interface FieldAnswer<Facts extends object> extends AnyAnswer<Facts> {
  fields(no: Facts): readonly FieldError[];
}

export const refusal = <Facts extends object = object>(answer: Answer<Facts>): Answer<Facts> => answer;
export const commandRefusal = <Facts extends object = object>(
  answer: CommandAnswer<Facts>,
): CommandAnswer<Facts> => answer;
export const fieldRefusal = <Facts extends object>(answer: FieldAnswer<Facts>): FieldAnswer<Facts> => answer;

/** The operator decided on stale data: reload and decide again. */
export const STALE = { status: 409, code: 'stale' } as const;

/** Answers by kind: of a room, or of all rooms. */
export type RefusalTable = Readonly<
  Record<string, Answer<object> | CommandAnswer<object> | FieldAnswer<object>>
>;

/** @public The tables of all rooms: each `refusals.ts` adds its own. */
export interface Refusals {}

type RefusalKind = keyof Refusals;

type FactsOf<One> =
  One extends Answer<infer Facts> ? Facts : One extends FieldAnswer<infer Facts> ? Facts : never;

export type RefusedAs<Kind extends RefusalKind> = {
  [One in Kind]: { kind: One } & FactsOf<Refusals[One]>;
}[Kind];

export type Refused = RefusedAs<RefusalKind>;

/** The refusals that commands can get. */
export type CommandRefused = RefusedAs<
  { [Kind in RefusalKind]: Refusals[Kind] extends CommandAnswer<object> ? Kind : never }[RefusalKind]
>;

/** Positions of repeated entries in a list. */
export function repeatedPositions(names: readonly string[]): number[] {
  const seen = new Set<string>();
  const positions: number[] = [];
  for (const [at, name] of names.entries()) {
    if (seen.has(name)) positions.push(at);
    seen.add(name);
  }
  return positions;
}
