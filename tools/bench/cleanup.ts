// Stops everything that was started, in reverse order, also after an error.

export class Cleanup {
  readonly #steps: { what: string; run: () => Promise<unknown> }[] = [];

  add(what: string, run: () => Promise<unknown>): void {
    this.#steps.push({ what, run });
  }

  async run(): Promise<void> {
    for (const { what, run } of this.#steps.splice(0).toReversed()) {
      await run().catch((error: unknown) => console.error(`cleaning up (${what}): ${String(error)}`));
    }
  }
}
