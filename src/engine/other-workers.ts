// The other processes that serve the same port, and what a worker asks or tells all of them. A single process has none.

export type Question =
  /** Channels, keys or policies were changed, and the change is committed: cached ones are stale. */
  | { about: 'channels_changed' }
  /** Write the observations that were collected. */
  | { about: 'observations' };

export interface OtherWorkers {
  /** Resolves with the answers of all other workers that are ready; one that does not answer in time is left out. */
  ask(question: Question): Promise<readonly unknown[]>;
  /** /readyz was requested. */
  probed(): void;
}

export const NO_OTHERS: OtherWorkers = { ask: async () => [], probed: () => {} };
