// The other processes that serve the same port, and the messages of a worker to all of them. A single process has none.
/** A metric of one worker, as prom-client gives it. */
export interface WorkerMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: unknown;
  /** How prom-client combines the values of several workers. */
  readonly aggregator: string;
  readonly values: readonly {
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly metricName?: string;
    readonly value: number;
  }[];
}

/** What one worker says to all others, and what each of them answers. Both are copied between processes. */
export interface Topic<Said, Answered> {
  readonly about: string;
  /** Only a type: nothing has this field. */
  readonly types?: (said: Said) => Answered;
}

export const topic = <Said = null, Answered = null>(about: string): Topic<Said, Answered> => ({ about });

/** The metrics of the worker that asks. The answers include the counts of workers that have ended. */
export const METRICS = topic<readonly WorkerMetric[], readonly WorkerMetric[]>('metrics');

export interface Question<Said = unknown> {
  readonly about: string;
  readonly said: Said;
}

export interface OtherWorkers {
  /** Resolves when all other workers have answered. Workers that do not answer in time are left out. */
  ask<Said, Answered>(about: Topic<Said, Answered>, said: Said): Promise<readonly Answered[]>;
  /** /readyz was requested. */
  probed(): void;
}

export const NO_OTHERS: OtherWorkers = { ask: async () => [], probed: () => {} };

/** What this worker answers when another one asks. */
export class WorkerAnswers {
  readonly #answers = new Map<string, (said: never) => unknown>();

  on<Said, Answered>(
    { about }: Topic<Said, Answered>,
    answer: (said: Said) => Answered | Promise<Answered>,
  ): void {
    this.#answers.set(about, answer);
  }

  /** `said` comes from a worker of the same version. */
  async answer(about: string, said: never): Promise<unknown> {
    return this.#answers.get(about)?.(said) ?? null;
  }
}
