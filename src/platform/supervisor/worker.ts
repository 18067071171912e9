// What the supervisor and its workers must agree on.

/** Longer than any request may take. After this a stopping process exits. */
export const STOP_TIMEOUT_MS = 40_000;

/** A worker could not start. The message explains why. */
export class WorkerStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerStartError';
  }
}
